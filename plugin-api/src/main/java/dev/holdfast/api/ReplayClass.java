package dev.holdfast.api;

/** What may happen to a tool call that a crash cut off. */
public enum ReplayClass {
  /** Changes nothing: runs again, also next to others. */
  READ,
  /** The second run finds the work done: runs again. */
  IDEMPOTENT,
  /**
   * Gets the same key for each run of one call and sees to it that it acts once: runs again with
   * that key.
   */
  KEYED,
  /** Anything else: never runs twice by itself. The model is told that the outcome is unknown. */
  UNSAFE;

  public boolean isRepeatable() {
    return this != UNSAFE;
  }
}
