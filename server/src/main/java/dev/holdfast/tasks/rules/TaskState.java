package dev.holdfast.tasks.rules;

/** What has become of a task. */
public enum TaskState {
  /** Waits for its needs, its time or a free worker. */
  QUEUED,

  /** A lease is out; the agent has not begun. */
  DISPATCHED,

  /** The agent has begun: what it does to the world may have happened from here on. */
  IN_PROGRESS,

  /** An attempt has failed; another one is due later. */
  RETRIED,

  /** A person was asked for something; the agent does not run until that is answered. */
  AWAITING_INPUT,

  SUCCEEDED,

  /** Given up after its attempts: kept with its history, to be looked at. */
  DEAD_LETTERED,

  /** Never begun, because something that it needs has not succeeded. */
  FAILED,

  CANCELLED;

  /** Whether nothing follows: terminal is final. */
  public boolean isTerminal() {
    return switch (this) {
      case QUEUED, DISPATCHED, IN_PROGRESS, RETRIED, AWAITING_INPUT -> false;
      case SUCCEEDED, DEAD_LETTERED, FAILED, CANCELLED -> true;
    };
  }

  /** Whether it is only so while a lease on it is alive. */
  public boolean isLeased() {
    return this == DISPATCHED || this == IN_PROGRESS;
  }
}
