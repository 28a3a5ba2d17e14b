package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
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
final class Purge {
  private static final int ROWS_PER_STEP = 200;

  private final Engine engine;
  private final List<EventLedger> ledgers;
  private final Time time;
  private final Duration age;
  private final Instant wallAtStart;
  private final long nanosAtStart;

  private record Old(long seq, String id, boolean done, long receivedAt) {}

  private record Step(long lastSeq, int removed, boolean more) {}

  Purge(Engine engine, List<EventLedger> ledgers, Time time, Duration age) {
    this.engine = engine;
    this.ledgers = ledgers;
    this.time = time;
    this.age = age;
    this.wallAtStart = time.now();
    this.nanosAtStart = time.nanos();
  }

  /** One whole sweep. Blocks; called by the watch. Returns how many events it removed. */
  long sweep() throws StoreException {
    Instant now = now();
    Instant cutoff = now.minus(age);
    long removed = 0;
    Step step = new Step(0, 0, true);
    while (step.more()) {
      long after = step.lastSeq();
      step = engine.call(tx -> step(tx, after, Timestamps.of(cutoff)));
      removed += step.removed();
    }
    engine.<Boolean>call(
        tx -> {
          for (EventLedger ledger : ledgers) {
            ledger.forget(tx, cutoff, now);
          }
          return true;
        });
    return removed;
  }

  /**
   * A clock that jumps ahead must not empty the memory of keys: time passes as fast as the steady
   * clock says.
   */
  private Instant now() {
    Instant steady = wallAtStart.plusNanos(time.nanos() - nanosAtStart);
    Instant now = time.now();
    return now.isBefore(steady) ? now : steady;
  }

  private static Step step(Transaction tx, long after, long cutoff) throws SQLException {
    List<Old> old =
        tx.sql()
            .list(
                row ->
                    new Old(row.getLong(1), row.getString(2), row.getInt(3) != 0, row.getLong(4)),
                "select e.seq, e.id, e.received_at < ? and e.closed = 1"
                    + " and not exists (select 1 from dead_letters d where d.event_id = e.id"
                    + " and d.replayed = 0)"
                    + " and not exists (select 1 from replies r where r.event_id = e.id"
                    + " and r."
                    + ReplyState.OPEN
                    + ")"
                    + ", e.received_at from events e where e.seq > ? order by e.seq limit ?",
                cutoff,
                after,
                ROWS_PER_STEP);
    int removed = 0;
    for (Old event : old) {
      if (event.done()) {
        remove(tx, event);
        removed++;
      }
    }
    return old.isEmpty()
        ? new Step(after, 0, false)
        : new Step(
            old.getLast().seq(),
            removed,
            old.size() == ROWS_PER_STEP && old.getLast().receivedAt() < cutoff);
  }

  private static void remove(Transaction tx, Old event) throws SQLException {
    Statements sql = tx.sql();
    tx.count(MessageCounters.DAMAGED, -Quarantine.damaged(tx, event.seq(), event.id()));
    sql.update("delete from payloads where seq = ?", event.seq());
    sql.update("delete from events where seq = ?", event.seq());
    sql.update("delete from replies where event_id = ?", event.id());
    sql.update("delete from stories where event_id = ?", event.id());
    sql.update("delete from dead_letters where event_id = ?", event.id());
  }
}
