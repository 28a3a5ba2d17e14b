package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Transaction;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
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

  /** Damaged rows ever found. */
  static final Counter QUARANTINED = new Counter("QUARANTINED");

  /** Damaged rows that are still there. */
  static final Counter DAMAGED = new Counter("DAMAGED");

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

  /** Makes counts what they should be. Returns how many were not. */
  static int set(Transaction tx, Map<Counter, Long> right) {
    int changed = 0;
    for (Map.Entry<Counter, Long> entry : right.entrySet()) {
      long by = entry.getValue() - tx.counted(entry.getKey());
      tx.count(entry.getKey(), by);
      changed += by == 0 ? 0 : 1;
    }
    return changed;
  }

  /**
   * Makes the sum of all states what was accepted. New numbers are counted from what was accepted
   * and planned, so these two are never below what stands in the tables. Returns how many counts
   * were wrong.
   */
  static int balance(Transaction tx) throws SQLException {
    long newest = newest(tx, "events");
    int changed =
        set(
            tx,
            Map.of(
                ACCEPTED,
                Math.max(tx.counted(ACCEPTED), newest),
                REPLIES,
                Math.max(tx.counted(REPLIES), newest(tx, "replies"))));
    long sum = 0;
    for (Counter counter : EVENTS.values()) {
      sum += tx.counted(counter);
    }
    long accepted = tx.counted(ACCEPTED);
    if (sum == accepted) {
      return changed;
    }
    boolean acceptedIsWrong = accepted > newest && sum >= newest;
    Counter other = sum < accepted ? of(EventState.ANSWERED) : largestEnded(tx);
    long rest = tx.counted(other) + accepted - sum;
    return changed
        + set(tx, acceptedIsWrong || rest < 0 ? Map.of(ACCEPTED, sum) : Map.of(other, rest));
  }

  private static Counter largestEnded(Transaction tx) {
    return EVENTS.entrySet().stream()
        .filter(entry -> !entry.getKey().isOpen())
        .map(Map.Entry::getValue)
        .max(Comparator.comparingLong(tx::counted))
        .orElseThrow();
  }

  private static long newest(Transaction tx, String table) throws SQLException {
    return tx.sql().first(row -> row.getLong(1), "select max(seq) from " + table).orElse(0L);
  }

  /** Dead letters of that kind. */
  static Counter ofLetters(String kind) {
    return kind.equals(DeadLetterRows.EVENT) ? EVENT_LETTERS : REPLY_LETTERS;
  }
}
