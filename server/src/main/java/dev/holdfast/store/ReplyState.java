package dev.holdfast.store;

/** Where a reply stands. SENT, REJECTED and HELD are final unless an operator acts. */
public enum ReplyState {
  PLANNED,
  SENDING,
  SENT,
  REJECTED,
  RETRY_AT,
  UNKNOWN,
  RESENT,
  HELD;

  public boolean isOpen() {
    return this == PLANNED || this == SENDING || this == RETRY_AT || this == UNKNOWN;
  }
}
