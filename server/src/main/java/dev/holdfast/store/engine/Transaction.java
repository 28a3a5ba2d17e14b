package dev.holdfast.store.engine;

import dev.holdfast.store.messages.EventState;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction of the writer, shared by the operations of a batch. Used on the writer's thread
 * alone.
 */
public final class Transaction {
  private static final Logger LOG = LoggerFactory.getLogger(Transaction.class);

  private final Statements sql;
  private final NumberedNames names;
  private final Counters counters;
  private final Map<Count, Long> deltas = new EnumMap<>(Count.class);
  private final List<Runnable> afterCommit = new ArrayList<>();
  private final List<ThreadActivity.Touch> touched = new ArrayList<>();
  private final ThreadActivity touches;

  Transaction(Statements sql, NumberedNames names, Counters counters, ThreadActivity touches) {
    this.touches = touches;
    this.sql = sql;
    this.names = names;
    this.counters = counters;
  }

  public Statements sql() {
    return sql;
  }

  public NumberedNames names() {
    return names;
  }

  public void count(Count count, long by) {
    deltas.merge(count, by, Long::sum);
  }

  /** The count as this transaction will leave it. */
  public long counted(Count count) {
    return counters.get(count) + deltas.getOrDefault(count, 0L);
  }

  /** The count as it was before this transaction. */
  long committed(Count count) {
    return counters.get(count);
  }

  public long openEvents() {
    return counted(Count.PENDING) + counted(Count.RUNNING) + counted(Count.PARKED);
  }

  /** Moves one event from a state to another in the counts. */
  public void move(EventState from, EventState to) {
    count(Count.of(from), -1);
    count(Count.of(to), 1);
  }

  /** One more event of the thread. */
  public void touch(long thread, Instant at) {
    touched.add(new ThreadActivity.Touch(thread, Timestamps.of(at)));
  }

  /** Runs on the writer's thread after the commit; not at all when it fails. */
  public void afterCommit(Runnable task) {
    afterCommit.add(task);
  }

  /** The last writes before the commit. */
  void finish() throws SQLException {
    count(Count.COMMITS, 1);
    Counters.write(sql, deltas);
  }

  /** After the commit. */
  void publish() {
    counters.publish(deltas);
    touches.add(touched);
    for (Runnable task : afterCommit) {
      try {
        task.run();
      } catch (RuntimeException e) {
        LOG.error("store: a listener of a commit failed", e); // what is committed stays so
      }
    }
  }
}
