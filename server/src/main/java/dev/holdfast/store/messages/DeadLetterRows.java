package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.time.Time;
import java.sql.SQLException;

/**
 * Writes dead letters in the transaction that gives something up. Used on the writer's thread
 * alone.
 */
final class DeadLetterRows {
  static final String EVENT = "event";
  static final String REPLY = "reply";

  private static final String COLUMNS =
      "insert into dead_letters"
          + " (id, kind, ref, event_id, dedupe_key, thread_id, reason, payload, attempts, at, damaged)";

  private final Ids ids;
  private final Time time;

  DeadLetterRows(Ids ids, Time time) {
    this.ids = ids;
    this.time = time;
  }

  void ofEvent(Transaction tx, long seq, String reason) throws SQLException {
    // A damaged row may have lost what it refers to: what is there is kept.
    int written =
        tx.sql()
            .update(
                COLUMNS
                    + " select ?, 'event', e.seq, e.id, e.dedupe_key, coalesce(t.thread_id, ''), ?,"
                    + " coalesce(p.payload, ''), e.attempts, ?, e.damaged from events e"
                    + " left join threads t on t.no = e.thread"
                    + " left join payloads p on p.seq = e.seq where e.seq = ?",
                ids.next(),
                reason,
                Timestamps.of(time.now()),
                seq);
    tx.count(MessageCounters.EVENT_LETTERS, written);
  }

  void ofReply(Transaction tx, long seq, String reason) throws SQLException {
    int written =
        tx.sql()
            .update(
                COLUMNS
                    + " select ?, 'reply', r.seq, r.event_id, r.in_reply_to,"
                    + " coalesce(t.thread_id, ''), ?, r.text, r.attempts, ?, r.damaged"
                    + " from replies r left join threads t on t.no = r.thread where r.seq = ?",
                ids.next(),
                reason,
                Timestamps.of(time.now()),
                seq);
    tx.count(MessageCounters.REPLY_LETTERS, written);
  }
}
