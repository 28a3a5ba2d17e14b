package dev.holdfast.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Questions to people about calls that wait. Every change is durable when its method returns.
 * Thread-safe.
 */
public final class Approvals {
  private static final String SELECT =
      "select id, code, event_id, thread_id, call_key, tool, arguments_hash, shown, person, state,"
          + " asked_at, expires_at, decided_by from approvals where ";

  private final Writer writer;
  private final Readers readers;

  Approvals(Writer writer, Readers readers) {
    this.writer = writer;
    this.readers = readers;
  }

  /** The question about a call, whatever its state. */
  public Optional<Approval> ofCall(String key) {
    return readers.read(sql -> sql.first(Approvals::approval, SELECT + "call_key = ?", key));
  }

  /** Writes the question down; the same call asked again keeps its first question. */
  public void ask(Approval question) throws StoreException {
    writer.call(
        tx ->
            tx.sql()
                .update(
                    "insert into approvals (id, code, event_id, thread_id, call_key, tool,"
                        + " arguments_hash, shown, person, state, asked_at, expires_at)"
                        + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
                    question.id(),
                    question.code(),
                    question.eventId(),
                    question.threadId(),
                    question.key(),
                    question.tool(),
                    question.argumentsHash(),
                    question.shown(),
                    question.person(),
                    question.state().name(),
                    Millis.of(question.askedAt()),
                    Millis.of(question.expiresAt())));
  }

  public Optional<Approval> find(String id) {
    return readers.read(sql -> sql.first(Approvals::approval, SELECT + "id = ?", id));
  }

  /** The one that waits in a thread under that code, in any case of letters. */
  public Optional<Approval> waiting(String threadId, String code) {
    return readers.read(
        sql ->
            sql.first(
                Approvals::approval,
                SELECT + "thread_id = ? and code = ? and state = 'WAITING'",
                threadId,
                code.toUpperCase(Locale.ROOT)));
  }

  /** Newest first; only those that wait when {@code open}. */
  public List<Approval> list(boolean open, int limit) {
    return readers.read(
        sql ->
            sql.list(
                Approvals::approval,
                SELECT + "(? = 0 or state = 'WAITING') order by asked_at desc limit ?",
                open ? 1 : 0,
                limit));
  }

  /** False when it does not wait any more or its time is over. */
  public boolean decide(String id, boolean yes, String by, Instant now) throws StoreException {
    Approval.State state = yes ? Approval.State.APPROVED : Approval.State.DENIED;
    return changed(
        "update approvals set state = ?, decided_by = ?"
            + " where id = ? and state = 'WAITING' and expires_at > ?",
        state.name(),
        by,
        id,
        Millis.of(now));
  }

  /** Spends a yes: true once, and only for the same call and arguments. */
  public boolean use(String key, String argumentsHash) throws StoreException {
    return changed(
        "update approvals set state = 'USED'"
            + " where call_key = ? and arguments_hash = ? and state = 'APPROVED'",
        key,
        argumentsHash);
  }

  /** Its time is over. */
  public void expire(String id) throws StoreException {
    writer.call(
        tx ->
            tx.sql()
                .update(
                    "update approvals set state = 'EXPIRED' where id = ? and state = 'WAITING'",
                    id));
  }

  /** The event has ended: nobody waits for the answers to its questions any more. */
  static void expireAllOf(Tx tx, long seq) throws SQLException {
    tx.sql()
        .update(
            "update approvals set state = 'EXPIRED' where state in ('WAITING', 'APPROVED')"
                + " and event_id = (select id from events where seq = ?)",
            seq);
  }

  private boolean changed(String sql, Object... parameters) throws StoreException {
    return writer.call(tx -> tx.sql().update(sql, parameters)) > 0;
  }

  private static Approval approval(ResultSet row) throws SQLException {
    return new Approval(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        row.getString(7),
        row.getString(8),
        row.getString(9),
        Approval.State.valueOf(row.getString(10)),
        Instant.ofEpochMilli(row.getLong(11)),
        Instant.ofEpochMilli(row.getLong(12)),
        row.getString(13));
  }
}
