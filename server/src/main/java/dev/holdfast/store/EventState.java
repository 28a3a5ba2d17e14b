package dev.holdfast.store;

/** Where an accepted event stands. The last five are final, except that an operator may replay a dead letter. */
public enum EventState {
  PENDING,
  RUNNING,
  PARKED,
  ANSWERED,
  SILENT,
  HELD,
  DEAD_LETTERED,
  CANCELLED;

  public boolean isOpen() {
    return this == PENDING || this == RUNNING || this == PARKED;
  }
}
