package dev.holdfast.store;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** What happened to each event, in order. Thread-safe. */
public final class Stories {
  private final Writer writer;
  private final Readers readers;

  Stories(Writer writer, Readers readers) {
    this.writer = writer;
    this.readers = readers;
  }

  /**
   * Written with the next commit, not waited for: a line may be lost in a crash, the event is not.
   */
  public void add(StoryLine line) {
    writer.later(
        tx -> {
          insert(tx, line);
          return true;
        });
  }

  static void insert(Tx tx, StoryLine line) throws SQLException {
    tx.sql()
        .update(
            "insert into stories (event_id, at, what, json) values (?, ?, ?, ?)",
            line.eventId(),
            Millis.of(line.at()),
            line.what(),
            line.json());
  }

  /** Oldest first. */
  public List<StoryLine> of(String eventId) {
    return readers.ask(
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
}
