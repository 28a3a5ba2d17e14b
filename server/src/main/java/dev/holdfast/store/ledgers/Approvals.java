package dev.holdfast.store.ledgers;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.EventLedger;
import dev.holdfast.store.messages.Outbox;
import dev.holdfast.store.messages.ThreadReader;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Questions to people about calls that wait. Every change is durable when its method returns, and
 * stands in the audit in the same commit. Thread-safe.
 */
public final class Approvals implements EventLedger {
  private static final String SELECT =
      "select id, code, event_id, thread_id, call_key, tool, arguments_hash, shown, person, state,"
          + " asked_at, expires_at, decided_by, arguments from approvals where ";

  /** Of the arguments of one list, in units of UTF-16; those of the last one may go beyond. */
  private static final long LIST_UNITS_MAX = 1024 * 1024;

  static final String OPEN_OF_EVENT =
      SELECT
          + "event_id = (select id from events where seq = ?)"
          + " and state in ('WAITING', 'APPROVED')";

  static final String OF_APPROVE = SELECT + "approve_hash = ? and approve_hash <> ''";
  static final String OF_DENY = SELECT + "deny_hash = ? and deny_hash <> ''";
  static final String OPEN_CARDS =
      "select id from approvals where card = 1 and expires_at > ?"
          + " and (state <> 'WAITING' or expires_at <= ?) order by expires_at desc limit ?";

  private static final String GRANTED = "approval.granted";
  private static final String DENIED = "approval.denied";

  private final Engine engine;
  private final Audit audit;

  public Approvals(Engine engine, Audit audit) {
    this.engine = engine;
    this.audit = audit;
  }

  /** The question about a call, whatever its state. */
  public Optional<Approval> ofCall(String key) {
    return engine.read(sql -> sql.first(Approvals::approval, SELECT + "call_key = ?", key));
  }

  /**
   * Writes the question down. The same call asked again keeps its first question, unless nobody can
   * answer that any more.
   */
  public void ask(Approval question) throws StoreException {
    engine.call(
        tx -> {
          int asked =
              tx.sql()
                  .update(
                      "insert into approvals (id, code, event_id, thread_id, call_key, tool,"
                          + " arguments_hash, shown, person, state, asked_at, expires_at,"
                          + " arguments) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                          + " on conflict (call_key) do update set id = excluded.id,"
                          + " code = excluded.code, shown = excluded.shown,"
                          + " person = excluded.person, state = excluded.state,"
                          + " asked_at = excluded.asked_at, expires_at = excluded.expires_at,"
                          + " arguments = excluded.arguments, decided_by = '',"
                          + " approve_hash = '', deny_hash = '', card = 0"
                          + " where approvals.state = 'EXPIRED' on conflict do nothing",
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
                      Timestamps.of(question.askedAt()),
                      Timestamps.of(question.expiresAt()),
                      question.arguments());
          if (asked > 0) {
            note(tx, "approval.asked", question, "tool:" + question.tool());
          }
          return asked;
        });
  }

  public Optional<Approval> find(String id) {
    return engine.read(sql -> sql.first(Approvals::approval, SELECT + "id = ?", id));
  }

  /** The one that waits in a thread under that code, in any case of letters. */
  public Optional<Approval> waiting(String threadId, String code) {
    return engine.read(
        sql ->
            sql.first(
                Approvals::approval,
                SELECT + "thread_id = ? and code = ? and state = 'WAITING'",
                threadId,
                code.toUpperCase(Locale.ROOT)));
  }

  /**
   * Newest first; fewer than {@code limit} when their arguments are large.
   *
   * @param state as the rows say; empty for all
   * @param threadId empty for all
   */
  public List<Approval> list(
      ThreadReader reader, Optional<Approval.State> state, String threadId, int limit) {
    String wanted = state.map(Enum::name).orElse("");
    return engine.read(
        sql ->
            sql.page(
                new Enough(),
                Approvals::approval,
                SELECT
                    + "(? = '' or state = ?) and (? = '' or thread_id = ?) and "
                    + ThreadReader.MAY_SEE
                    + " order by asked_at desc, id desc limit ?",
                wanted,
                wanted,
                threadId,
                threadId,
                reader.flag(),
                reader.name(),
                limit));
  }

  private static final class Enough implements Predicate<Approval> {
    private long units;

    @Override
    public boolean test(Approval approval) {
      units += approval.arguments().length();
      return units >= LIST_UNITS_MAX;
    }
  }

  /** False when it does not wait any more or its time is over. */
  public boolean decide(String id, boolean yes, String by, Instant now) throws StoreException {
    Approval.State state = yes ? Approval.State.APPROVED : Approval.State.DENIED;
    return changed(
        new Change(yes ? GRANTED : DENIED, by),
        "update approvals set state = ?, decided_by = ?"
            + " where id = ? and state = 'WAITING' and expires_at > ?",
        state.name(),
        by,
        id,
        Timestamps.of(now));
  }

  /**
   * Puts buttons under the question, unless it has some: what is to be written in the same commit
   * as the reply that shows them.
   */
  public Outbox.Beside show(String id, QuestionButtons buttons) {
    return tx -> {
      int _ =
          tx.sql()
              .update(
                  "update approvals set approve_hash = ?, deny_hash = ?, card = 1"
                      + " where id = ? and card = 0",
                  buttons.approveHash(),
                  buttons.denyHash(),
                  id);
    };
  }

  /**
   * The question that a button stands under.
   *
   * @param token as it came with the click; may be anything
   */
  public Optional<Approval> ofButton(String token) {
    String hash = QuestionButtons.hash(token);
    return engine.read(
        sql -> {
          Optional<Approval> granted = sql.first(Approvals::approval, OF_APPROVE, hash);
          return granted.isPresent() ? granted : sql.first(Approvals::approval, OF_DENY, hash);
        });
  }

  /**
   * Decides what a click means, in one transaction: it counts once, while the question waits, and
   * only for the person who is asked, in the chat thread in which they are.
   *
   * @param token as it came with the click; may be anything
   */
  public ClickVerdict click(String token, String threadId, String person, Instant now)
      throws StoreException {
    String hash = QuestionButtons.hash(token);
    return engine.call(
        tx -> {
          Optional<Approval> granted = tx.sql().first(Approvals::approval, OF_APPROVE, hash);
          Optional<Approval> asked =
              granted.isPresent() ? granted : tx.sql().first(Approvals::approval, OF_DENY, hash);
          ClickVerdict verdict = ClickVerdict.of(asked, granted.isPresent(), threadId, person, now);
          if (verdict.decides()) {
            Approval question = asked.orElseThrow();
            String by = "person:" + person;
            tx.sql()
                .update(
                    "update approvals set state = ?, decided_by = ? where id = ?",
                    verdict.state().name(),
                    by,
                    question.id());
            note(tx, granted.isPresent() ? GRANTED : DENIED, question, by);
          }
          return verdict;
        });
  }

  /**
   * The questions that are over while their buttons still stand under a post, or will; newest
   * first.
   *
   * @param since those that were void before are left as they are
   */
  public List<String> openCards(Instant since, Instant now, int limit) {
    return engine.read(
        sql ->
            sql.list(
                row -> row.getString(1),
                OPEN_CARDS,
                Timestamps.of(since),
                Timestamps.of(now),
                limit));
  }

  /** The buttons were taken away, or never will be. */
  public void closeCard(String id) throws StoreException {
    int _ = engine.call(tx -> tx.sql().update("update approvals set card = 2 where id = ?", id));
  }

  /** Spends a yes: true once, and only for the same call and arguments. */
  public boolean use(String key, String argumentsHash) throws StoreException {
    return changed(
        new Change("approval.used", "server"),
        "update approvals set state = 'USED'"
            + " where call_key = ? and arguments_hash = ? and state = 'APPROVED'",
        key,
        argumentsHash);
  }

  /** Its time is over. False when it did not wait any more. */
  public boolean expire(String id) throws StoreException {
    return changed(
        new Change("approval.expired", "server"),
        "update approvals set state = 'EXPIRED' where id = ? and state = 'WAITING'",
        id);
  }

  /** What people are asked about an event. */
  public List<Approval> waitingOf(String eventId) {
    return engine.read(
        sql ->
            sql.list(Approvals::approval, SELECT + "event_id = ? and state = 'WAITING'", eventId));
  }

  /** Nobody waits for the answers to the event's questions any more. */
  @Override
  public void unanswered(Transaction tx, long seq) throws SQLException {
    List<Approval> open = tx.sql().list(Approvals::approval, OPEN_OF_EVENT, seq);
    for (Approval question : open) {
      tx.sql().update("update approvals set state = 'EXPIRED' where id = ?", question.id());
      note(tx, "approval.withdrawn", question, "server");
    }
  }

  @Override
  public void forget(Transaction tx, Instant cutoff, Instant now) throws SQLException {
    tx.sql()
        .update(
            "delete from approvals where id in"
                + " (select id from approvals where expires_at < ? limit 5000)",
            Timestamps.of(cutoff));
  }

  private record Change(String what, String by) {}

  /** {@code sql} changes one row at most. */
  private boolean changed(Change change, String sql, Object... parameters) throws StoreException {
    return engine.call(
        tx -> {
          List<String> ids =
              tx.sql().list(row -> row.getString(1), sql + " returning id", parameters);
          for (String id : ids) {
            Approval question =
                tx.sql().first(Approvals::approval, SELECT + "id = ?", id).orElseThrow();
            note(tx, change.what(), question, change.by());
          }
          return !ids.isEmpty();
        });
  }

  private void note(Transaction tx, String what, Approval question, String by) throws SQLException {
    String details =
        "{\"approval_id\":\"%s\",\"arguments_sha256\":\"%s\"}"
            .formatted(question.id(), question.argumentsHash());
    audit.insert(
        tx,
        new AuditEntry(what, question.key(), question.eventId(), question.threadId(), by, details));
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
        row.getString(13),
        row.getString(14));
  }
}
