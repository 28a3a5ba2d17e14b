package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Crc;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Events as rows and back. */
final class EventRows {
  /** The columns that {@link #read} and {@link #remains} want. */
  private static final String COLUMNS =
      "select e.seq, e.id, s.source, t.thread_id, e.dedupe_key, p.payload, e.received_at, e.state,"
          + " e.attempts, e.told, e.crc, e.replays, e.damaged"
          + " from events e left join sources s on s.no = e.source"
          + " left join threads t on t.no = e.thread left join payloads p on p.seq = e.seq where ";

  /** For {@link #read}; damaged rows are never among them. */
  static final String SELECT = COLUMNS + "e.damaged = 0 and ";

  static final String KEY =
      "e.source = (select no from sources where source = ?) and e.dedupe_key = ?";

  /** By who sent it and the sender's own id of it. */
  static final String BY_KEY = SELECT + KEY;

  /** For {@link #remains}. */
  static final String ANY_BY_ID = COLUMNS + "e.id = ?";

  /** As {@link #BY_KEY}, for {@link #remains}. */
  static final String ANY_BY_KEY = COLUMNS + KEY;

  private static final String INSERT =
      "insert into events (seq, id, source, thread, dedupe_key, received_at, crc)"
          + " values (?, ?, ?, ?, ?, ?, ?) on conflict (source, dedupe_key) do nothing";

  private EventRows() {}

  /** A row that was read: the event, or what is left of it. */
  sealed interface Found {
    record Whole(Event event) implements Found {}

    /** Its bytes are not those that were written. */
    record Bad(long seq) implements Found {}
  }

  static Found read(ResultSet row) throws SQLException {
    long seq = row.getLong(1);
    Event event = event(row, seq);
    return event != null && crc(event) == row.getLong(11)
        ? new Found.Whole(event)
        : new Found.Bad(seq);
  }

  /** What a damaged row still says, without its payload; empty when the row is good. */
  static Optional<Event> remains(ResultSet row) throws SQLException {
    if (row.getInt(13) == 0 && read(row) instanceof Found.Whole) {
      return Optional.empty();
    }
    return Optional.of(
        new Event(
            row.getLong(1),
            row.getString(2),
            textOf(row, 3),
            textOf(row, 4),
            textOf(row, 5),
            "",
            Instant.ofEpochMilli(row.getLong(7)),
            EventState.of(row.getInt(8)).orElse(EventState.DEAD_LETTERED),
            row.getInt(9),
            row.getInt(10) != 0,
            row.getInt(12)));
  }

  private static String textOf(ResultSet row, int column) throws SQLException {
    return Objects.requireNonNullElse(row.getString(column), "");
  }

  private static @Nullable Event event(ResultSet row, long seq) throws SQLException {
    String id = row.getString(2);
    String source = row.getString(3);
    String threadId = row.getString(4);
    String key = row.getString(5);
    String payload = row.getString(6);
    Optional<EventState> state = EventState.of(row.getInt(8));
    if (id == null || source == null || threadId == null || key == null || payload == null) {
      return null;
    }
    if (state.isEmpty()) {
      return null;
    }
    return new Event(
        seq,
        id,
        source,
        threadId,
        key,
        payload,
        Instant.ofEpochMilli(row.getLong(7)),
        state.get(),
        row.getInt(9),
        row.getInt(10) != 0,
        row.getInt(12));
  }

  /** Over all that never changes. */
  static long crc(Event event) {
    return new Crc()
        .add(event.seq())
        .add(event.id())
        .add(event.source())
        .add(event.threadId())
        .add(event.dedupeKey())
        .add(event.payload())
        .add(Timestamps.of(event.receivedAt()))
        .value();
  }

  /** Returns false, and writes nothing, when the key is known. */
  static boolean insert(Transaction tx, Event event, long source, long thread) throws SQLException {
    Statements sql = tx.sql();
    int inserted =
        sql.update(
            INSERT,
            event.seq(),
            event.id(),
            source,
            thread,
            event.dedupeKey(),
            Timestamps.of(event.receivedAt()),
            crc(event));
    if (inserted == 0) {
      return false;
    }
    sql.update("insert into payloads (seq, payload) values (?, ?)", event.seq(), event.payload());
    tx.count(MessageCounters.ACCEPTED, 1);
    tx.count(MessageCounters.of(EventState.PENDING), 1);
    return true;
  }

  /**
   * Where an event stands and what its turn had made of it; empty when it is unknown or damaged.
   */
  static Optional<Standing> standing(Transaction tx, long seq) throws SQLException {
    return tx.sql()
        .first(
            EventRows::standing,
            "select seq, state, outcome, attempts from events where seq = ? and damaged = 0",
            seq);
  }

  static Optional<Standing> standing(Transaction tx, String id) throws SQLException {
    return tx.sql()
        .first(
            EventRows::standing,
            "select seq, state, outcome, attempts from events where id = ? and damaged = 0",
            id);
  }

  private static Standing standing(ResultSet row) throws SQLException {
    return new Standing(
        row.getLong(1),
        EventState.of(row.getInt(2)).orElse(EventState.DEAD_LETTERED),
        EventState.of(row.getInt(3)).orElse(EventState.DEAD_LETTERED),
        row.getInt(4));
  }

  /**
   * The changing part of an event.
   *
   * @param outcome what its turn ended with; its replies may turn the state into something worse
   */
  record Standing(long seq, EventState state, EventState outcome, int attempts) {}

  /** Changes a state, and the counts with it. */
  static void move(Transaction tx, Standing event, EventState to) throws SQLException {
    change(tx, event, to, "");
  }

  /**
   * Changes a state, and the counts with it, together with other columns: one row is written once.
   *
   * @param set {@code column = ?} for each of the parameters, with a comma behind each; a constant
   */
  static void change(
      Transaction tx, Standing event, EventState to, String set, Object... parameters)
      throws SQLException {
    if (event.state() == to && set.isEmpty()) {
      return;
    }
    Object[] all = Arrays.copyOf(parameters, parameters.length + 2);
    all[parameters.length] = to.code();
    all[parameters.length + 1] = event.seq();
    // The indexes know of open and closed only: what stays open touches none of them.
    String closed =
        event.state().isOpen() == to.isOpen() ? "" : to.isOpen() ? "closed = 0, " : "closed = 1, ";
    tx.sql().update("update events set " + set + closed + "state = ? where seq = ?", all);
    if (event.state() != to) {
      tx.count(MessageCounters.of(event.state()), -1);
      tx.count(MessageCounters.of(to), 1);
    }
  }
}
