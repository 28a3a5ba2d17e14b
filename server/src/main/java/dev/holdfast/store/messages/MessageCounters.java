package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Transaction;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** What is counted of messages, events in each {@link EventState} among it. */
final class MessageCounters {
  /** All events ever accepted; the sum of those in all states, and the newest event's number. */
  static final Counter ACCEPTED = new Counter("ACCEPTED");

  /** All replies ever planned, and the newest reply's number. */
  static final Counter REPLIES = new Counter("REPLIES");

  static final Counter OPEN_REPLIES = new Counter("OPEN_REPLIES");
  static final Counter EVENT_LETTERS = new Counter("EVENT_LETTERS");
  static final Counter REPLY_LETTERS = new Counter("REPLY_LETTERS");
  static final Counter QUARANTINED = new Counter("QUARANTINED");

  /** The newest event that is counted in the row of its thread. */
  static final Counter TOUCHED = new Counter("touched");

  /** The names of the states stand in the database. */
  private static final Map<EventState, Counter> EVENTS =
      Arrays.stream(EventState.values())
          .collect(
              Collectors.toMap(
                  state -> state,
                  state -> new Counter(state.name()),
                  (one, _) -> one,
                  () -> new EnumMap<>(EventState.class)));

  private MessageCounters() {}

  /** How many events are in that state. */
  static Counter of(EventState state) {
    return Objects.requireNonNull(EVENTS.get(state));
  }

  /** Events that are not finished. */
  static long open(Engine engine) {
    Map<Counter, Long> now = engine.counts();
    return now.getOrDefault(of(EventState.PENDING), 0L)
        + now.getOrDefault(of(EventState.RUNNING), 0L)
        + now.getOrDefault(of(EventState.PARKED), 0L);
  }

  /** The same as this transaction will leave it. */
  static long open(Transaction tx) {
    return tx.counted(of(EventState.PENDING))
        + tx.counted(of(EventState.RUNNING))
        + tx.counted(of(EventState.PARKED));
  }

  /** Dead letters of that kind. */
  static Counter ofLetters(String kind) {
    return kind.equals(DeadLetterRows.EVENT) ? EVENT_LETTERS : REPLY_LETTERS;
  }
}
