package dev.holdfast.store.ledgers;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.Crc;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.Inbox;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.ThreadReader;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups and the ledger of their firings. Every change is durable when its method returns.
 * Thread-safe.
 */
public final class Schedules {
  private static final Logger LOG = LoggerFactory.getLogger(Schedules.class);

  /** Due times that are remembered of one schedule, so that a clock that goes back repeats none. */
  static final int LEDGER_ROWS_MAX = 1000;

  /** Ended schedules that stay to be read; the oldest go first. */
  static final int ENDED_MAX = 10_000;

  private static final String SELECT =
      "select id, call_key, thread_id, person, kind, spec, zone, text, missed, made_at, crc, state,"
          + " next_at, coalesce((select id from events where id = schedules.event_id and closed ="
          + " 0), '') from schedules where ";

  /** Whether the event of the last firing is unanswered. */
  private static final String BUSY =
      "exists (select 1 from events where id = schedules.event_id and closed = 0)";

  private final Engine engine;
  private final Inbox inbox;
  private final Audit audit;
  private volatile Function<String, Optional<String>> behindOthers = _ -> Optional.empty();

  public Schedules(Engine engine, Inbox inbox, Audit audit) {
    this.engine = engine;
    this.inbox = inbox;
    this.audit = audit;
  }

  /** How many may be active. */
  public record Limits(int perThread, int inAll) {}

  private sealed interface Found {
    record Whole(Schedule schedule) implements Found {}

    record Bad(String id) implements Found {}
  }

  /**
   * Writes a new one down, and {@code entry} with it. A call that was written down before gets what
   * it made then.
   *
   * @throws StoreException BUDGET_EXHAUSTED when there are too many
   */
  public Schedule add(Schedule wanted, Limits limits, AuditEntry entry) throws StoreException {
    return engine.call(tx -> insert(tx, wanted, limits, entry));
  }

  private Schedule insert(Transaction tx, Schedule wanted, Limits limits, AuditEntry entry)
      throws SQLException, StoreException {
    Optional<Schedule> made =
        tx.sql()
            .first(Schedules::read, SELECT + "call_key = ?", wanted.callKey())
            .flatMap(this::of);
    if (made.isPresent()) {
      return made.get();
    }
    String active = "select count(*) from schedules where state = 'ACTIVE'";
    refuseAt(
        limits.perThread(),
        count(tx, active + " and thread_id = ?", wanted.threadId()),
        "this thread");
    refuseAt(limits.inAll(), count(tx, active), "this server");
    tx.sql()
        .update(
            "insert into schedules (id, call_key, thread_id, person, kind, spec, zone, text, missed,"
                + " made_at, crc, state, next_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            wanted.id(),
            wanted.callKey(),
            wanted.threadId(),
            wanted.person(),
            wanted.kind().name(),
            wanted.spec(),
            wanted.zone(),
            wanted.text(),
            wanted.missed().name(),
            Timestamps.of(wanted.madeAt()),
            crc(wanted),
            wanted.state().name(),
            Timestamps.of(wanted.next()));
    audit.insert(tx, entry);
    return wanted;
  }

  private static void refuseAt(int max, long now, String where) throws StoreException {
    if (now >= max) {
      throw new StoreException(
          Failure.of(
              FailureCode.BUDGET_EXHAUSTED,
              where + " has " + now + " active wake-ups, which is the limit; cancel one first"));
    }
  }

  private static long count(Transaction tx, String sql, Object... parameters) throws SQLException {
    return tx.sql().first(row -> row.getLong(1), sql, parameters).orElse(0L);
  }

  public Optional<Schedule> find(String id) {
    return engine.read(sql -> sql.first(Schedules::read, SELECT + "id = ?", id)).flatMap(this::of);
  }

  /** Those that will fire, by the time when they are due. Of all threads when the id is empty. */
  public List<Schedule> active(ThreadReader reader, String threadId, int limit) {
    return list(
        "state = 'ACTIVE' and (? = '' or thread_id = ?) and "
            + ThreadReader.MAY_SEE
            + " order by next_at, id limit ?",
        threadId,
        threadId,
        reader.flag(),
        reader.name(),
        limit);
  }

  /** Active ones with an id above {@code afterId}, in the order of their ids. */
  public List<Schedule> page(String afterId, int limit) {
    return list("state = 'ACTIVE' and id > ? order by id limit ?", afterId, limit);
  }

  /**
   * Active ones that are due by {@code now}, the longest due first; but for those that make up for
   * what they miss, and wait for the answer to the one before.
   */
  public List<Schedule> due(Instant now, int limit) {
    return list(
        "state = 'ACTIVE' and next_at <= ? and (missed = 'SKIP' or not "
            + BUSY
            + ") order by next_at, id limit ?",
        Timestamps.of(now),
        limit);
  }

  /** Whose message made what made this event; empty for an event that a person sent. */
  public Optional<String> personBehind(String eventId) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getString(1),
                    "select s.person from firings f join schedules s on s.id = f.schedule_id"
                        + " where f.event_id = ?",
                    eventId))
        .or(() -> behindOthers.apply(eventId));
  }

  /** Who knows the people behind events that the server makes but for wake-ups. */
  public void personsBehindOthers(Function<String, Optional<String>> lookUp) {
    behindOthers = lookUp;
  }

  /** How a due time is dealt with: when it is due again. Empty: never. */
  public record Step(Schedule seen, Instant at, Optional<Instant> next) {}

  /**
   * Makes the due time of {@code step.seen()} an event of its thread and moves the schedule on, in
   * one transaction. False when somebody else has dealt with it, the schedule has ended, or the
   * event of its last firing is unanswered.
   *
   * @throws StoreException when no event can be accepted now: the due time is still open
   */
  public boolean fire(Step step, NewEvent event) throws StoreException {
    return inbox.appendWith(
        tx -> isOpen(tx, step) && !isBusy(tx, step.seen()),
        event,
        (tx, made) -> settle(tx, step, made.id()));
  }

  /** Moves the schedule on without an event; the due time counts as dealt with. */
  public boolean skip(Step step) throws StoreException {
    return engine.call(
        tx -> {
          boolean open = isOpen(tx, step);
          if (open) {
            settle(tx, step, "");
          }
          return open;
        });
  }

  /** Another due time for one that the clock has left behind. Nothing counts as dealt with. */
  public void aim(Schedule seen, Instant next) throws StoreException {
    engine.call(
        tx ->
            tx.sql()
                .update(
                    "update schedules set next_at = ?"
                        + " where id = ? and state = 'ACTIVE' and next_at = ?",
                    Timestamps.of(next),
                    seen.id(),
                    Timestamps.of(seen.next())));
  }

  /** Whether that due time was dealt with before. */
  public boolean isDone(String id, Instant due) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getInt(1),
                    "select 1 from firings where schedule_id = ? and due = ?",
                    id,
                    Timestamps.of(due)))
        .isPresent();
  }

  /** Writes {@code entry} along with it. False, and nothing is written, when it is not active. */
  public boolean cancel(String id, AuditEntry entry) throws StoreException {
    return engine.call(
        tx -> {
          boolean ended =
              tx.sql()
                      .update(
                          "update schedules set state = 'CANCELLED'"
                              + " where id = ? and state = 'ACTIVE'",
                          id)
                  > 0;
          if (ended) {
            audit.insert(tx, entry);
          }
          return ended;
        });
  }

  private static boolean isOpen(Transaction tx, Step step) throws SQLException {
    Schedule seen = step.seen();
    return count(
            tx,
            "select count(*) from schedules where id = ? and state = 'ACTIVE' and next_at = ?"
                + " and not exists (select 1 from firings where schedule_id = ? and due = ?)",
            seen.id(),
            Timestamps.of(seen.next()),
            seen.id(),
            Timestamps.of(seen.next()))
        > 0;
  }

  private static boolean isBusy(Transaction tx, Schedule seen) throws SQLException {
    return count(tx, "select count(*) from schedules where id = ? and " + BUSY, seen.id()) > 0;
  }

  private static void settle(Transaction tx, Step step, String eventId) throws SQLException {
    Schedule seen = step.seen();
    Statements sql = tx.sql();
    sql.update(
        "insert into firings (schedule_id, due, at, event_id) values (?, ?, ?, ?)",
        seen.id(),
        Timestamps.of(seen.next()),
        Timestamps.of(step.at()),
        eventId);
    sql.update(
        "update schedules set state = ?, next_at = ?, event_id = coalesce(nullif(?, ''), event_id)"
            + " where id = ?",
        (step.next().isPresent() ? Schedule.State.ACTIVE : Schedule.State.DONE).name(),
        Timestamps.of(step.next().orElse(seen.next())),
        eventId,
        seen.id());
    // The row of the last event stays: it tells whose that event is, however long that takes.
    sql.update(
        "delete from firings where schedule_id = ? and no <= (select no from firings"
            + " where schedule_id = ? order by no desc limit 1 offset ?)"
            + " and (event_id = ''"
            + " or event_id <> (select event_id from schedules where id = ?))",
        seen.id(),
        seen.id(),
        LEDGER_ROWS_MAX,
        seen.id());
  }

  /** Forgets the ended ones beyond what may stay; called now and then. */
  public void forgetEnded() throws StoreException {
    engine.call(
        tx -> {
          tx.sql()
              .update(
                  "delete from schedules where id in (select id from schedules"
                      + " where state <> 'ACTIVE' order by made_at desc limit 500 offset ?)",
                  ENDED_MAX);
          return tx.sql()
              .update(
                  "delete from firings where no in (select no from firings where not exists"
                      + " (select 1 from schedules where id = schedule_id) limit 5000)");
        });
  }

  private List<Schedule> list(String where, Object... parameters) {
    List<Schedule> whole = new ArrayList<>();
    engine
        .read(sql -> sql.list(Schedules::read, SELECT + where, parameters))
        .forEach(found -> of(found).ifPresent(whole::add));
    return whole;
  }

  private Optional<Schedule> of(Found found) {
    return switch (found) {
      case Found.Whole(Schedule schedule) -> Optional.of(schedule);
      case Found.Bad(String id) -> {
        LOG.error("schedule {}: its row is damaged and will not fire", id);
        engine.later(
            tx -> tx.sql().update("update schedules set state = 'DAMAGED' where id = ?", id));
        yield Optional.empty();
      }
    };
  }

  private static Found read(ResultSet row) throws SQLException {
    String id = row.getString(1);
    try {
      Schedule schedule =
          new Schedule(
              id,
              row.getString(2),
              row.getString(3),
              row.getString(4),
              Schedule.Kind.valueOf(row.getString(5)),
              row.getString(6),
              row.getString(7),
              row.getString(8),
              Schedule.Missed.valueOf(row.getString(9)),
              Instant.ofEpochMilli(row.getLong(10)),
              Schedule.State.valueOf(row.getString(12)),
              Instant.ofEpochMilli(row.getLong(13)),
              row.getString(14));
      return crc(schedule) == row.getLong(11) ? new Found.Whole(schedule) : new Found.Bad(id);
    } catch (IllegalArgumentException | NullPointerException _) {
      return new Found.Bad(id); // a text that no column of ours holds
    }
  }

  /** Over all that never changes. */
  private static long crc(Schedule schedule) {
    return new Crc()
        .add(schedule.id())
        .add(schedule.callKey())
        .add(schedule.threadId())
        .add(schedule.person())
        .add(schedule.kind().name())
        .add(schedule.spec())
        .add(schedule.zone())
        .add(schedule.text())
        .add(schedule.missed().name())
        .add(Timestamps.of(schedule.madeAt()))
        .value();
  }
}
