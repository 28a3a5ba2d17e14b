package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.engine.Writer;
import dev.holdfast.time.Time;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Forgets finished events, with all that hangs on them, when their keys need no longer be
 * remembered. In small steps, so that no commit waits for it. What has an open dead letter or an
 * open reply stays.
 */
public final class Purge {
  private static final int ROWS_PER_STEP = 200;

  /** A month's budget is a sum over these. */
  private static final Duration MODEL_CALLS_KEPT = Duration.ofDays(40);

  private final Writer writer;
  private final Time time;
  private final Duration age;
  private final Instant wallAtStart;
  private final long nanosAtStart;

  private record Old(long seq, String id, boolean done, long receivedAt) {}

  private record Step(long lastSeq, boolean more) {}

  public Purge(Writer writer, Time time, Duration age) {
    this.writer = writer;
    this.time = time;
    this.age = age;
    this.wallAtStart = time.now();
    this.nanosAtStart = time.nanos();
  }

  /** One whole sweep. Blocks; called by the watch. Returns how many events it removed. */
  public long sweep() throws StoreException {
    long cutoff = Timestamps.of(cutoff(age));
    long removed = 0;
    long after = 0;
    while (true) {
      long from = after;
      long before = removed;
      long[] gone = new long[1];
      Step step = writer.call(tx -> step(tx, from, cutoff, gone));
      removed = before + gone[0];
      after = step.lastSeq();
      if (!step.more()) {
        long calls = Timestamps.of(cutoff(MODEL_CALLS_KEPT));
        writer.call(tx -> loose(tx, cutoff, Math.min(cutoff, calls)));
        return removed;
      }
    }
  }

  /**
   * A clock that jumps ahead must not empty the memory of keys: time passes as fast as the steady
   * clock says.
   */
  private Instant cutoff(Duration kept) {
    Instant steady = wallAtStart.plusNanos(time.nanos() - nanosAtStart);
    Instant now = time.now();
    return (now.isBefore(steady) ? now : steady).minus(kept);
  }

  private static Step step(Transaction tx, long after, long cutoff, long[] gone)
      throws SQLException {
    gone[0] = 0;
    List<Old> old =
        tx.sql()
            .list(
                row ->
                    new Old(row.getLong(1), row.getString(2), row.getInt(3) != 0, row.getLong(4)),
                "select e.seq, e.id, e.received_at < ? and e.closed = 1"
                    + " and not exists (select 1 from dead_letters d where d.event_id = e.id"
                    + " and d.replayed = 0)"
                    + " and not exists (select 1 from replies r where r.event_id = e.id"
                    + " and r.state in (0, 1, 4, 5))"
                    + ", e.received_at from events e where e.seq > ? order by e.seq limit ?",
                cutoff,
                after,
                ROWS_PER_STEP);
    for (Old event : old) {
      if (event.done()) {
        remove(tx, event);
        gone[0]++;
      }
    }
    return old.isEmpty()
        ? new Step(after, false)
        : new Step(
            old.getLast().seq(),
            old.size() == ROWS_PER_STEP && old.getLast().receivedAt() < cutoff);
  }

  private static void remove(Transaction tx, Old event) throws SQLException {
    Statements sql = tx.sql();
    sql.update("delete from payloads where seq = ?", event.seq());
    sql.update("delete from events where seq = ?", event.seq());
    sql.update("delete from replies where event_id = ?", event.id());
    sql.update("delete from stories where event_id = ?", event.id());
    sql.update("delete from dead_letters where event_id = ?", event.id());
  }

  /** Rows that have a time of their own; budgets count the calls of a whole month. */
  private static int loose(Transaction tx, long cutoff, long callsCutoff) throws SQLException {
    tx.sql().update("delete from told where at < ?", callsCutoff);
    tx.sql()
        .update(
            "delete from approvals where id in"
                + " (select id from approvals where expires_at < ? limit 5000)",
            cutoff);
    return tx.sql()
        .update(
            "delete from model_calls where no in"
                + " (select no from model_calls where at < ? order by at limit 5000)",
            callsCutoff);
  }
}
