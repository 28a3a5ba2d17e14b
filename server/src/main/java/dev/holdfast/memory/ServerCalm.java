package dev.holdfast.memory;

/** How much the server has to do. Thread-safe; answers from memory. */
public interface ServerCalm {
  /** Whether no turn runs and no message waits for one. */
  boolean isQuiet();

  /** Whether the mode of the server lets work begin that nobody waits for. */
  boolean mayWork();

  /**
   * Does something with what a thread has on disk while nothing of it runs. False, and nothing is
   * done, while something does. Blocks.
   */
  boolean whileInactive(String threadId, Runnable work);
}
