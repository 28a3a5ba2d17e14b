package dev.holdfast.plugins;

/**
 * Code of a plugin threw what it may not, or did not end, or could not be called. It has no cause:
 * that would keep the plugin's classes loaded.
 */
final class PluginFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean begun;

  private PluginFailedException(String message, boolean begun) {
    super(message);
    this.begun = begun;
  }

  /** Whatever the code was to do may have been done. */
  PluginFailedException(String message) {
    this(message, true);
  }

  /** Surely nothing was done: no code of the plugin was called. */
  static PluginFailedException notBegun(String message) {
    return new PluginFailedException(message, false);
  }

  boolean isBegun() {
    return begun;
  }
}
