package dev.holdfast.store.messages;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** Where a reply stands. SENT, RESENT, REJECTED and HELD are final unless an operator acts. */
public enum ReplyState {
  PLANNED(0),
  SENDING(1),
  SENT(2),
  REJECTED(3),
  RETRY_AT(4),
  UNKNOWN(5),
  /** Sent, and an earlier send of it may have arrived too. */
  RESENT(6),
  HELD(7);

  /** What stands in rows: never to be changed. The indexes of open replies name these numbers. */
  private final int code;

  /** Of the column {@code state}, word for word as the indexes of open replies say it. */
  static final String OPEN =
      Arrays.stream(values())
          .filter(ReplyState::isOpen)
          .map(state -> Integer.toString(state.code))
          .collect(Collectors.joining(", ", "state in (", ")"));

  ReplyState(int code) {
    this.code = code;
  }

  public boolean isOpen() {
    return this == PLANNED || this == SENDING || this == RETRY_AT || this == UNKNOWN;
  }

  int code() {
    return code;
  }

  /** Empty for a number that no state has: a damaged row. */
  static Optional<ReplyState> of(int code) {
    for (ReplyState state : values()) {
      if (state.code == code) {
        return Optional.of(state);
      }
    }
    return Optional.empty();
  }
}
