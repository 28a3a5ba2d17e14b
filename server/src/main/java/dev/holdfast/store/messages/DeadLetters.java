package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.EventRows.Standing;
import dev.holdfast.time.Time;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The events and replies that were given up, and the held replies. Thread-safe. */
public final class DeadLetters {
  private static final String SELECT =
      "select id, kind, event_id, dedupe_key, thread_id, reason, payload, attempts, at"
          + " from dead_letters where ";

  /** Of the payloads of one list, in units of UTF-16; the last one may go beyond. */
  public static final long LIST_UNITS_MAX = 4L * 1024 * 1024;

  private final Engine engine;
  private final Time time;
  private final ReplyRows replies;
  private final EventEndings endings;

  /** What a letter is about. */
  private record Ref(String kind, long seq, String threadId, boolean usable) {}

  DeadLetters(Engine engine, Time time, ReplyRows replies, EventEndings endings) {
    this.engine = engine;
    this.time = time;
    this.replies = replies;
    this.endings = endings;
  }

  /**
   * Newest first; letters that were replayed are not among them. {@code kind} empty: all. Fewer
   * than {@code limit} when they are large.
   */
  public List<DeadLetter> list(ThreadReader reader, String kind, Instant olderThan, int limit) {
    return list(reader, kind, olderThan, Long.MAX_VALUE, limit, "desc");
  }

  /**
   * As {@link #list}, but oldest first: the order in which to bring them back.
   *
   * @param upTo none that was given up after the letter of that {@link #newest number}
   */
  public List<DeadLetter> oldest(
      ThreadReader reader, String kind, Instant olderThan, long upTo, int limit) {
    return list(reader, kind, olderThan, upTo, limit, "asc");
  }

  /**
   * The number of the letter that was written last; whatever is given up later has a higher one.
   */
  public long newest() {
    return engine
        .read(
            sql ->
                sql.first(row -> row.getLong(1), "select coalesce(max(no), 0) from dead_letters"))
        .orElse(0L);
  }

  private List<DeadLetter> list(
      ThreadReader reader, String kind, Instant olderThan, long upTo, int limit, String order) {
    return engine.read(
        sql ->
            sql.page(
                new Enough(),
                DeadLetters::row,
                SELECT
                    + "replayed = 0 and at < ? and no <= ? and (? = '' or kind = ?) and "
                    + ThreadReader.MAY_SEE
                    + " order by at %1$s, no %1$s limit ?".formatted(order),
                Timestamps.of(olderThan),
                upTo,
                kind,
                kind,
                reader.flag(),
                reader.name(),
                limit));
  }

  /** What was given up may be a thousand messages of a megabyte. */
  private static final class Enough implements Predicate<DeadLetter> {
    private long units;

    @Override
    public boolean test(DeadLetter letter) {
      units += letter.payload().length();
      return units >= LIST_UNITS_MAX;
    }
  }

  /** Also one that was replayed. */
  public Optional<DeadLetter> find(String id) {
    return engine.ask(
        handle ->
            handle
                .createQuery(SELECT + "id = :id")
                .bind("id", id)
                .map((row, _) -> row(row))
                .findFirst());
  }

  private static DeadLetter row(ResultSet row) throws SQLException {
    return new DeadLetter(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        row.getString(7),
        row.getInt(8),
        Instant.ofEpochMilli(row.getLong(9)));
  }

  /**
   * Puts it back: an event becomes pending again under its old id, a reply planned. A second replay
   * of the same letter changes nothing, nor does one of a damaged row. Returns whether this call
   * did it; the caller then wakes whoever runs events or posts replies.
   */
  public boolean replay(String id) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Ref> found = ref(tx, id);
          if (found.isEmpty() || !found.get().usable()) {
            return false;
          }
          Ref letter = found.get();
          boolean done =
              letter.kind().equals(DeadLetterRows.EVENT) ? event(tx, letter) : reply(tx, letter);
          if (done) {
            tx.sql().update("update dead_letters set replayed = 1 where id = ?", id);
            tx.count(MessageCounters.ofLetters(letter.kind()), -1);
          }
          return done;
        });
  }

  private static boolean event(Transaction tx, Ref letter) throws SQLException {
    Optional<Standing> event =
        EventRows.standing(tx, letter.seq())
            .filter(found -> found.state() == EventState.DEAD_LETTERED);
    if (event.isEmpty()) {
      return false;
    }
    tx.sql()
        .update(
            "update events set attempts = 0, told = 0, outcome = 0, reason = '',"
                + " replays = replays + 1 where seq = ?",
            letter.seq());
    EventRows.move(tx, event.get(), EventState.PENDING);
    return true;
  }

  private boolean reply(Transaction tx, Ref letter) throws SQLException {
    Optional<ReplyRows.Standing> reply =
        ReplyRows.standing(tx, letter.seq())
            .filter(
                found -> found.state() == ReplyState.REJECTED || found.state() == ReplyState.HELD);
    if (reply.isEmpty()) {
      return false;
    }
    long now =
        Timestamps.of(time.now()); // its age counts from here: else it would be held again at once
    tx.sql()
        .update(
            "update replies set attempts = 0, unknowns = 0, planned_at = ?, next_at = ? where seq ="
                + " ?",
            now,
            now,
            letter.seq());
    ReplyRows.move(tx, reply.get(), ReplyState.PLANNED, "");
    endings.judge(tx, reply.get().eventId());
    replies.announce(tx, letter.threadId());
    return true;
  }

  /** Removes the letter for good; its event stays dead-lettered. */
  public boolean discard(String id) throws StoreException {
    return engine.call(
        tx -> {
          Optional<String> kind =
              tx.sql()
                  .first(
                      row -> row.getString(1),
                      "delete from dead_letters where id = ? and replayed = 0 returning kind",
                      id);
          if (kind.isPresent()) {
            tx.count(MessageCounters.ofLetters(kind.get()), -1);
          }
          return kind.isPresent();
        });
  }

  private static Optional<Ref> ref(Transaction tx, String id) throws SQLException {
    return tx.sql()
        .first(
            row -> new Ref(row.getString(1), row.getLong(2), row.getString(3), row.getInt(4) == 0),
            "select kind, ref, thread_id, damaged from dead_letters where id = ? and replayed = 0",
            id);
  }

  /** How many there are, by kind; from memory. */
  public Map<String, Long> counts(ThreadReader reader) {
    return reader.everything()
        ? Map.of(
            DeadLetterRows.EVENT, engine.counted(MessageCounters.EVENT_LETTERS),
            DeadLetterRows.REPLY, engine.counted(MessageCounters.REPLY_LETTERS))
        : Map.of(
            DeadLetterRows.EVENT, count(reader, DeadLetterRows.EVENT),
            DeadLetterRows.REPLY, count(reader, DeadLetterRows.REPLY));
  }

  private long count(ThreadReader reader, String kind) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getLong(1),
                    "select count(*) from dead_letters where replayed = 0 and kind = ? and "
                        + ThreadReader.MAY_SEE,
                    kind,
                    reader.flag(),
                    reader.name()))
        .orElse(0L);
  }
}
