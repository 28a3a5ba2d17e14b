package dev.holdfast.store.engine;

import dev.holdfast.store.messages.EventState;
import java.util.Locale;

/** What is counted durably. The first eight are the states of events. */
public enum Count {
  PENDING,
  RUNNING,
  PARKED,
  ANSWERED,
  SILENT,
  HELD,
  DEAD_LETTERED,
  CANCELLED,
  /** All events ever accepted; the sum of the eight above, and the newest event's number. */
  ACCEPTED,
  /** All replies ever planned, and the newest reply's number. */
  REPLIES,
  OPEN_REPLIES,
  EVENT_LETTERS,
  REPLY_LETTERS,
  QUARANTINED,
  /** All transactions of the writer. */
  COMMITS;

  public static Count of(EventState state) {
    return switch (state) {
      case PENDING -> PENDING;
      case RUNNING -> RUNNING;
      case PARKED -> PARKED;
      case ANSWERED -> ANSWERED;
      case SILENT -> SILENT;
      case HELD -> HELD;
      case DEAD_LETTERED -> DEAD_LETTERED;
      case CANCELLED -> CANCELLED;
    };
  }

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
