package dev.holdfast.bus;

import dev.holdfast.bus.BrokerConfig.Overflow;
import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Crc;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.Time;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The events that NATS has not taken yet, in their order, and those that were given up: a row each,
 * written with what they tell and removed when NATS has acknowledged them. Thread-safe.
 */
public final class DiskQueue {
  private static final Tables TABLES =
      new Tables(
          "bus",
          List.of(
              """
              create table bus_events (
                seq integer primary key,
                id text not null unique,
                subject text not null,
                thread_id text not null,
                payload text not null,
                at integer not null,
                crc integer not null,
                attempts integer not null default 0,
                letter integer not null default 0,
                reason text not null default '',
                given_up_at integer not null default 0
              );
              create index bus_events_queued on bus_events (seq) where letter = 0;
              create index bus_events_letters on bus_events (letter) where letter > 0;
              """));

  /** Of the payloads of one page, in units of UTF-16; the last one may go beyond. */
  private static final long PAGE_UNITS_MAX = 4L * 1024 * 1024;

  private static final Counter RECORDED = new Counter("bus.recorded");
  private static final Counter QUEUED = new Counter("bus.queued");
  private static final Counter LETTERS = new Counter("bus.letters");

  /** Ever; the number of a letter in its row, where a row that waits has zero. */
  private static final Counter GIVEN_UP = new Counter("bus.given_up");

  private static final String SELECT_LETTER =
      "select letter, id, subject, thread_id, payload, reason, attempts, at, given_up_at"
          + " from bus_events where letter > 0 and ";

  private final Engine engine;
  private final BrokerConfig.Queue config;
  private final Time time;
  private volatile Runnable added = () -> {};
  private volatile Runnable replayed = () -> {};
  private volatile Runnable shed = () -> {};

  private DiskQueue(Engine engine, BrokerConfig.Queue config, Time time) {
    this.engine = engine;
    this.config = config;
    this.time = time;
  }

  /** What earlier runs have left is in it. Blocks. */
  public static DiskQueue open(Engine engine, BrokerConfig.Queue config, Time time)
      throws StoreException, StartRefusedException {
    engine.bring(TABLES);
    return new DiskQueue(engine, config, time);
  }

  /** Hears after each commit that added events, on the writer's thread: hand over and return. */
  void onAdded(Runnable listener) {
    added = listener;
  }

  /** Hears when an event came back to a place before others; as {@link #onAdded}. */
  void onReplayed(Runnable listener) {
    replayed = listener;
  }

  /** Hears of each that was given up because the queue was full; as {@link #onAdded}. */
  void onShed(Runnable listener) {
    shed = listener;
  }

  /** How many wait. From memory. */
  public long depth() {
    return engine.counted(QUEUED);
  }

  /** How many were given up and neither replayed nor discarded, that {@code reader} sees. */
  public long letters(ThreadReader reader) {
    if (reader.everything()) {
      return engine.counted(LETTERS);
    }
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getLong(1),
                    "select count(*) from bus_events where letter > 0 and " + ThreadReader.MAY_SEE,
                    reader.flag(),
                    reader.name()))
        .orElse(0L);
  }

  public int eventsMax() {
    return config.eventsMax();
  }

  /** Whether nothing new may be begun that would add to it. */
  boolean isFull(Transaction tx) {
    return config.overflow() == Overflow.REJECT && tx.counted(QUEUED) >= config.eventsMax();
  }

  /**
   * Adds an event behind all others, in the transaction of what it tells. One that is there
   * already, queued or given up, is left as it is.
   */
  void add(Transaction tx, BusEvent event) throws SQLException {
    long seq = tx.counted(RECORDED) + 1;
    String payload = event.json();
    int written =
        tx.sql()
            .update(
                "insert into bus_events (seq, id, subject, thread_id, payload, at, crc)"
                    + " values (?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing",
                seq,
                event.id(),
                event.subject(),
                event.threadId(),
                payload,
                Timestamps.of(event.at()),
                crc(event.id(), event.subject(), payload));
    if (written == 0) {
      return;
    }
    tx.count(RECORDED, 1);
    tx.count(QUEUED, 1);
    if (tx.counted(QUEUED) > config.eventsMax()) {
      shed(tx, seq);
    }
    tx.afterCommit(added);
  }

  /** {@code newest}: what is given up when the oldest may not be. */
  private void shed(Transaction tx, long newest) throws SQLException {
    long which =
        config.overflow() == Overflow.REJECT
            ? newest
            : tx.sql()
                .first(row -> row.getLong(1), "select min(seq) from bus_events where letter = 0")
                .orElse(newest);
    giveUp(tx, which, "the queue was full: it holds " + config.eventsMax() + " events");
    tx.afterCommit(shed);
  }

  private void giveUp(Transaction tx, long seq, String reason) throws SQLException {
    int gone =
        tx.sql()
            .update(
                "update bus_events set letter = ?, reason = ?, given_up_at = ?"
                    + " where seq = ? and letter = 0",
                tx.counted(GIVEN_UP) + 1,
                reason,
                Timestamps.of(time.now()),
                seq);
    tx.count(QUEUED, -gone);
    tx.count(LETTERS, gone);
    tx.count(GIVEN_UP, gone);
  }

  /** Those that wait behind {@code afterSeq}, in their order. Fewer when they are large. */
  List<QueuedEvent> page(long afterSeq, int limit) {
    return engine.read(
        sql ->
            sql.page(
                new Enough(),
                DiskQueue::queued,
                "select seq, id, subject, payload, attempts, crc from bus_events"
                    + " where letter = 0 and seq > ? order by seq limit ?",
                afterSeq,
                limit));
  }

  private static final class Enough implements Predicate<QueuedEvent> {
    private long units;

    @Override
    public boolean test(QueuedEvent event) {
      units += event.payload().length();
      return units >= PAGE_UNITS_MAX;
    }
  }

  private static QueuedEvent queued(ResultSet row) throws SQLException {
    String id = row.getString(2);
    String subject = row.getString(3);
    String payload = row.getString(4);
    return new QueuedEvent(
        row.getLong(1),
        id,
        subject,
        payload,
        row.getInt(5),
        crc(id, subject, payload) == row.getLong(6));
  }

  private static long crc(String id, String subject, String payload) {
    return new Crc().add(id).add(subject).add(payload).value();
  }

  /** Since when the oldest has waited; empty when none does. */
  Optional<Instant> oldest() {
    return engine.read(
        sql ->
            sql.first(
                row -> Instant.ofEpochMilli(row.getLong(1)),
                "select at from bus_events where letter = 0 order by seq limit 1"));
  }

  /**
   * NATS has them. Written with the next commit: a crash before it publishes them once more.
   *
   * @param done runs after the commit, as {@link #onAdded}
   */
  void remove(List<Long> seqs, Runnable done) {
    engine.later(
        tx -> {
          removed(
              tx,
              tx.sql()
                  .list(
                      row -> row.getInt(1),
                      "delete from bus_events where seq in (select value from json_each(?))"
                          + " returning letter > 0",
                      seqs.toString()));
          tx.afterCommit(done);
          return seqs.size();
        });
  }

  /** NATS has refused it. */
  void refused(long seq) {
    engine.later(
        tx -> tx.sql().update("update bus_events set attempts = attempts + 1 where seq = ?", seq));
  }

  /** It becomes a dead letter; written with the next commit. {@code done}: as above. */
  void giveUp(long seq, String reason, Runnable done) {
    engine.later(
        tx -> {
          giveUp(tx, seq, reason);
          tx.afterCommit(done);
          return seq;
        });
  }

  /**
   * Dead letters of the chat threads that {@code reader} sees.
   *
   * @param upTo none with a higher number
   */
  public List<BusLetter> letters(
      ThreadReader reader, Instant olderThan, long upTo, boolean oldestFirst, int limit) {
    String order = oldestFirst ? "asc" : "desc";
    return engine.read(
        sql ->
            sql.list(
                DiskQueue::letter,
                SELECT_LETTER
                    + "given_up_at < ? and letter <= ? and "
                    + ThreadReader.MAY_SEE
                    + " order by letter %s limit ?".formatted(order),
                Timestamps.of(olderThan),
                upTo,
                reader.flag(),
                reader.name(),
                limit));
  }

  /** Nothing of a chat thread is told any more. As {@code ThreadErasure.Other}. */
  public void erase(Transaction tx, String threadId) throws SQLException {
    removed(
        tx,
        tx.sql()
            .list(
                row -> row.getInt(1),
                "delete from bus_events where thread_id = ? returning letter > 0",
                threadId));
  }

  /** {@code letters}: 1 for each that was given up, 0 for each that waited. */
  private static void removed(Transaction tx, List<Integer> letters) {
    int givenUp = letters.stream().mapToInt(Integer::intValue).sum();
    tx.count(LETTERS, -givenUp);
    tx.count(QUEUED, givenUp - letters.size());
  }

  /** By the event's id; empty when it was not given up. */
  public Optional<BusLetter> letter(String id) {
    return engine.read(sql -> sql.first(DiskQueue::letter, SELECT_LETTER + "id = ?", id));
  }

  /** The number of the newest letter: what is given up later has a higher one. From memory. */
  public long newest() {
    return engine.counted(GIVEN_UP);
  }

  private static BusLetter letter(ResultSet row) throws SQLException {
    return new BusLetter(
        row.getLong(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        row.getInt(7),
        Instant.ofEpochMilli(row.getLong(8)),
        Instant.ofEpochMilli(row.getLong(9)));
  }

  /**
   * Puts it back at its old place, also into a full queue; {@code entry} with it. False when it is
   * no letter any more.
   */
  public boolean replay(String id, Audit audit, AuditEntry entry) throws StoreException {
    return engine.call(
        tx -> {
          int back =
              tx.sql()
                  .update(
                      "update bus_events set letter = 0, attempts = 0, reason = '', given_up_at = 0"
                          + " where id = ? and letter > 0",
                      id);
          tx.count(LETTERS, -back);
          tx.count(QUEUED, back);
          if (back > 0) {
            audit.insert(tx, entry);
            tx.afterCommit(replayed);
          }
          return back > 0;
        });
  }

  /** Removes it for good; {@code entry} is written with it. False when it is no letter any more. */
  public boolean discard(String id, Audit audit, AuditEntry entry) throws StoreException {
    return engine.call(
        tx -> {
          int gone = tx.sql().update("delete from bus_events where id = ? and letter > 0", id);
          tx.count(LETTERS, -gone);
          if (gone > 0) {
            audit.insert(tx, entry);
          }
          return gone > 0;
        });
  }
}
