package dev.holdfast.store.engine;

/**
 * Why no new event is taken.
 *
 * @param message for the sender and the operator, without a full stop
 */
public record StoreRefusal(Cause cause, String message) {
  /** The kinds of reasons, the most serious one first. */
  public enum Cause {
    /** Nothing on the disk can be trusted any more; the process is about to end. */
    STORE_FAILED,
    STOPPING,
    DISK_TAKES_NOTHING,
    LOW_SPACE,
    DISK_SLOW,
    /** A bound of the tables is reached. */
    FULL
  }
}
