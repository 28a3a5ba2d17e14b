package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Transaction;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/**
 * Takes what was said in a chat thread out of the database. The bare events stay until their keys
 * need no longer be remembered, so that no message is accepted twice; so do usage and the audit. In
 * small steps, so that no commit waits for it; what a crash cuts off is found by {@link
 * #unfinished}. Thread-safe; everything blocks.
 */
public final class ThreadErasure {
  public static final Tables TABLES =
      new Tables(
          "thread_erasures",
          List.of(
              """
              create table thread_erasures (
                thread_id text primary key,
                upto integer not null
              ) without rowid;
              """));

  private static final int ROWS_PER_STEP = 200;

  private final Engine engine;
  private final ThreadActivity activity;
  private final List<Other> others = new CopyOnWriteArrayList<>();

  /** Keeps something of what was said elsewhere. */
  public interface Other {
    /** Takes it out with the first commit of an erasure, on the writer's thread. */
    void erase(Transaction tx, String threadId) throws SQLException;
  }

  ThreadErasure(Engine engine, ThreadActivity activity) {
    this.engine = engine;
    this.activity = activity;
  }

  /** {@code other}: from now on. */
  public void also(Other other) {
    others.add(other);
  }

  /**
   * From here on nobody finds the thread, until its next message; {@link #erase} is owed. Durable
   * on return. Nothing changes, and why is returned, while a message is unanswered, a reply is not
   * posted, or a dead letter waits for an operator.
   */
  public Optional<String> begin(String threadId) throws StoreException {
    activity.settle();
    return engine.call(
        tx -> {
          Optional<String> refusal = refusal(tx, threadId);
          if (refusal.isEmpty()) {
            int _ =
                tx.sql()
                    .update(
                        "insert into thread_erasures (thread_id, upto) values (?, ?) on conflict"
                            + " (thread_id) do update set upto = excluded.upto",
                        threadId,
                        tx.counted(MessageCounters.ACCEPTED));
            int _ = tx.sql().update("update threads set events = 0 where thread_id = ?", threadId);
            int _ = tx.sql().update("delete from thread_labels where thread_id = ?", threadId);
            int _ =
                tx.sql()
                    .update("update thread_owners set shared = 0 where thread_id = ?", threadId);
            for (Other other : others) {
              other.erase(tx, threadId);
            }
          }
          return refusal;
        });
  }

  private static Optional<String> refusal(Transaction tx, String threadId) throws SQLException {
    String no = "(select no from threads where thread_id = ?)";
    if (isAny(tx, "events where thread = " + no + " and closed = 0", threadId)) {
      return Optional.of("a message of it is not answered yet: stop it first");
    }
    if (isAny(tx, "replies where thread = " + no + " and " + ReplyState.OPEN, threadId)) {
      return Optional.of("a reply of it is not posted yet");
    }
    return isAny(tx, "dead_letters where thread_id = ? and replayed = 0", threadId)
        ? Optional.of("a message of it is a dead letter, for an operator to replay or discard")
        : Optional.empty();
  }

  private static boolean isAny(Transaction tx, String rows, String threadId) throws SQLException {
    return tx.sql()
        .first(row -> row.getInt(1), "select 1 from " + rows + " limit 1", threadId)
        .isPresent();
  }

  /** Threads whose erasure was begun and has not ended. */
  public List<String> unfinished() {
    return engine.read(
        sql -> sql.list(row -> row.getString(1), "select thread_id from thread_erasures"));
  }

  /**
   * Goes on with what {@link #begin} began; may be called again.
   *
   * @param blank makes a payload without what was said of one with it
   */
  public void erase(String threadId, UnaryOperator<String> blank) throws StoreException {
    for (long seq = 0; seq < Long.MAX_VALUE; ) {
      long after = seq;
      seq = engine.call(tx -> blank(tx, threadId, after, blank));
    }
    boolean _ =
        engine.call(
            tx -> {
              for (String statement :
                  List.of(
                      "delete from dead_letters where replayed = 1 and thread_id = ?",
                      "delete from approvals where thread_id = ?",
                      "delete from firings where schedule_id in (select id from schedules where"
                          + " thread_id = ?)",
                      "delete from schedules where thread_id = ?")) {
                int _ = tx.sql().update(statement, threadId);
              }
              return true;
            });
  }

  /** What is owed is done. */
  public void end(String threadId) throws StoreException {
    int _ =
        engine.call(
            tx -> tx.sql().update("delete from thread_erasures where thread_id = ?", threadId));
  }

  /** One step. Returns where the next one begins; the largest number when nothing is left. */
  private static long blank(
      Transaction tx, String threadId, long after, UnaryOperator<String> blank)
      throws SQLException {
    List<EventRows.Found> rows =
        tx.sql()
            .list(
                EventRows::read,
                EventRows.SELECT
                    + "e.thread = (select no from threads where thread_id = ?) and e.closed = 1"
                    + " and e.seq <= (select upto from thread_erasures where thread_id = ?)"
                    + " and e.seq > ? order by e.seq limit ?",
                threadId,
                threadId,
                after,
                ROWS_PER_STEP);
    long last = Long.MAX_VALUE;
    for (EventRows.Found row : rows) {
      switch (row) {
        case EventRows.Found.Whole(Event event) -> {
          write(tx, event, blank.apply(event.payload()));
          last = event.seq();
        }
        case EventRows.Found.Bad(long seq) -> {
          int _ = tx.sql().update("update payloads set payload = '' where seq = ?", seq);
          last = seq;
        }
      }
    }
    return last;
  }

  private static void write(Transaction tx, Event event, String payload) throws SQLException {
    Event blank =
        new Event(
            event.seq(),
            event.id(),
            event.source(),
            event.threadId(),
            event.dedupeKey(),
            payload,
            event.receivedAt(),
            event.state(),
            event.attempts(),
            event.told(),
            event.replays());
    Statements sql = tx.sql();
    int _ = sql.update("update payloads set payload = ? where seq = ?", payload, event.seq());
    int _ =
        sql.update("update events set crc = ? where seq = ?", EventRows.crc(blank), event.seq());
    int _ = sql.update("delete from replies where event_id = ?", event.id());
    int _ = sql.update("delete from stories where event_id = ?", event.id());
  }
}
