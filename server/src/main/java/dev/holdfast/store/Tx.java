package dev.holdfast.store;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One transaction of the writer, shared by the operations of a batch. Used on the writer's thread alone. */
final class Tx {
  private final Statements sql;
  private final Names names;
  private final Counters counters;
  private final Map<Count, Long> deltas = new EnumMap<>(Count.class);
  private final List<Runnable> afterCommit = new ArrayList<>();
  private final Map<Long, Touched> touched = new HashMap<>();

  /** New events of a thread in this transaction. */
  private record Touched(long lastAt, long events) {
    Touched plus(Touched other) {
      return new Touched(Math.max(lastAt, other.lastAt), events + other.events);
    }
  }

  Tx(Statements sql, Names names, Counters counters) {
    this.sql = sql;
    this.names = names;
    this.counters = counters;
  }

  Statements sql() {
    return sql;
  }

  Names names() {
    return names;
  }

  void count(Count count, long by) {
    deltas.merge(count, by, Long::sum);
  }

  /** The count as this transaction will leave it. */
  long counted(Count count) {
    return counters.get(count) + deltas.getOrDefault(count, 0L);
  }

  long openEvents() {
    return counted(Count.PENDING) + counted(Count.RUNNING) + counted(Count.PARKED);
  }

  /** Moves one event from a state to another in the counts. */
  void move(EventState from, EventState to) {
    count(Count.of(from), -1);
    count(Count.of(to), 1);
  }

  /** One more event of the thread; written once per thread at the end of the transaction. */
  void touch(long thread, Instant at) {
    touched.merge(thread, new Touched(Millis.of(at), 1), Touched::plus);
  }

  /** Runs on the writer's thread after the commit; not at all when it fails. */
  void afterCommit(Runnable task) {
    afterCommit.add(task);
  }

  /** The last writes before the commit. */
  void finish() throws SQLException {
    for (Map.Entry<Long, Touched> thread : touched.entrySet()) {
      sql.update(
          "update threads set last_at = max(last_at, ?), events = events + ? where no = ?",
          thread.getValue().lastAt(),
          thread.getValue().events(),
          thread.getKey());
    }
    Counters.write(sql, deltas);
  }

  /** After the commit. */
  void publish() {
    counters.publish(deltas);
    afterCommit.forEach(Runnable::run);
  }
}
