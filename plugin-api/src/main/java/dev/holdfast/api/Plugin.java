package dev.holdfast.api;

/**
 * The class that the manifest of a plugin's jar names as {@code Plugin-Class}: public, with a
 * public constructor without parameters. One instance for each time that the jar is loaded.
 */
public interface Plugin {
  /**
   * Begins: reads its configuration and offers what it has. Called once, on a thread of its own.
   * May block, for 10 s at most; then it is interrupted. When it throws or does not return, nothing
   * of it is offered and the plugin is parked with the reason.
   *
   * @throws Exception for whatever keeps it from working; the message is shown to the operator and
   *     must hold no secret
   */
  void start(PluginContext context) throws Exception;

  /**
   * Ends. Called once, after the last call of what it offers has ended or was interrupted, and
   * after a {@link #start} that failed too. May block, for 5 s at most; what it throws is logged.
   * Its threads, timers and requests are ended by the server afterwards.
   */
  default void stop() throws Exception {}
}
