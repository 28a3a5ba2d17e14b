package dev.holdfast.store.messages;

import java.util.Locale;
import java.util.Optional;

/**
 * Where an accepted event stands. The last five are final, except that an operator may replay a
 * dead letter.
 */
public enum EventState {
  PENDING(0),
  RUNNING(1),
  PARKED(2),
  ANSWERED(3),
  SILENT(4),
  HELD(5),
  DEAD_LETTERED(6),
  CANCELLED(7);

  /** What stands in rows: never to be changed. The migrations count on open ones being below 3. */
  private final int code;

  EventState(int code) {
    this.code = code;
  }

  /** As metrics and the API name it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean isOpen() {
    return this == PENDING || this == RUNNING || this == PARKED;
  }

  int code() {
    return code;
  }

  /** Empty for a number that no state has: a damaged row. */
  static Optional<EventState> of(int code) {
    for (EventState state : values()) {
      if (state.code == code) {
        return Optional.of(state);
      }
    }
    return Optional.empty();
  }
}
