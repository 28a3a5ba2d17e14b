package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What happened to each event, in order. Thread-safe. */
public final class Stories {
  /** The server stopped, or was gone, amid a run; {@code by}: {@code stop} or {@code crash}. */
  public static final String CUT_OFF = "turn.cut_off";

  private static final String CANCELLED_SINCE =
      "select 1 from stories s join events e on e.id = s.event_id and e.state = ?"
          + " join events this on this.id = ? and this.thread = e.thread and this.seq > e.seq"
          + " where s.what = 'event.finished'"
          + " and s.no > (select min(no) from stories where event_id = ? and what = ?) limit 1";

  private final Engine engine;

  Stories(Engine engine) {
    this.engine = engine;
  }

  /**
   * Written with the next commit, not waited for: a line may be lost in a crash, the event is not.
   */
  public void add(StoryLine line) {
    engine.later(
        tx -> {
          insert(tx, line);
          return true;
        });
  }

  static void insert(Transaction tx, StoryLine line) throws SQLException {
    tx.sql()
        .update(
            "insert into stories (event_id, at, what, json) values (?, ?, ?, ?)",
            line.eventId(),
            Timestamps.of(line.at()),
            line.what(),
            line.json());
  }

  /** Oldest first. */
  public List<StoryLine> of(String eventId) {
    return engine.ask(
        handle ->
            handle
                .createQuery(
                    "select event_id, at, what, json from stories where event_id = :id order by no")
                .bind("id", eventId)
                .map(
                    (row, _) ->
                        new StoryLine(
                            row.getString(1),
                            Instant.ofEpochMilli(row.getLong(2)),
                            row.getString(3),
                            row.getString(4)))
                .list());
  }

  /**
   * Whether an event that its thread had before this one was cancelled behind this one's first line
   * of that kind. False when it has none.
   */
  public boolean isAnyCancelledSince(String eventId, String what) {
    return engine.read(
        sql ->
            sql.first(
                    row -> row.getInt(1),
                    CANCELLED_SINCE,
                    EventState.CANCELLED.code(),
                    eventId,
                    eventId,
                    what)
                .isPresent());
  }

  /** How many lines of that kind each of the events has; those with none are left out. */
  public Map<String, Integer> count(String what, List<String> eventIds) {
    if (eventIds.isEmpty()) {
      return Map.of();
    }
    return engine.read(
        sql -> {
          Map<String, Integer> counts = new HashMap<>();
          for (String id : Set.copyOf(eventIds)) {
            sql.first(
                    row -> row.getInt(1),
                    "select count(*) from stories where event_id = ? and what = ?",
                    id,
                    what)
                .filter(count -> count > 0)
                .ifPresent(count -> counts.put(id, count));
          }
          return counts;
        });
  }
}
