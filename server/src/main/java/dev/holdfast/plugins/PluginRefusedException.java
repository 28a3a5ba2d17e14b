package dev.holdfast.plugins;

/**
 * A jar is not loaded, and the message says why and what to do: for an operator, one sentence or
 * two.
 */
public final class PluginRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  public PluginRefusedException(String message) {
    super(message);
  }
}
