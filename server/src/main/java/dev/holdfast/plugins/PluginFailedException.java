package dev.holdfast.plugins;

/**
 * Code of a plugin threw what it may not, or did not end. It has no cause: that would keep the
 * plugin's classes loaded.
 */
final class PluginFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  PluginFailedException(String message) {
    super(message);
  }
}
