package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The chat threads that ever had a message, as the database knows them. Thread-safe. */
public final class ChatThreads {
  private static final String SELECT =
      "select t.thread_id, t.last_at, t.events, (select count(*) from events e where e.thread ="
          + " t.no and e.closed = 0), t.no, coalesce(o.owner, ''), coalesce(o.shared, 0),"
          + " coalesce(l.title, ''), "
          + ThreadLabels.ARCHIVED
          + " from ";

  private static final String LABELS = " left join thread_labels l on l.thread_id = t.thread_id";

  private static final String OWNER =
      " left join thread_owners o on o.thread_id = t.thread_id" + LABELS;

  private final Engine engine;
  private final ThreadActivity activity;

  ChatThreads(Engine engine, ThreadActivity activity) {
    this.engine = engine;
    this.activity = activity;
  }

  /**
   * Known chat threads, the one with the newest message first.
   *
   * @param after where the page before ended, by its last row's {@link ThreadRow#place}; empty for
   *     the first page. Threads that get a message meanwhile move to the front; none comes twice.
   * @throws IllegalArgumentException if {@code after} is not such a place
   */
  public List<ThreadRow> list(ThreadReader reader, Archived archived, String after, int limit) {
    activity.settle();
    Place place = Place.of(after);
    return engine.read(
        sql ->
            sql.list(
                ChatThreads::row,
                SELECT // the open events are counted for the page alone
                    + "(select t.* from threads t"
                    + LABELS
                    + " where t.events > 0 and (t.last_at, t.no) < (?, ?) and "
                    + ThreadReader.maySee("t.thread_id")
                    + archived.condition
                    + " order by t.last_at desc, t.no desc limit ?) t"
                    + OWNER
                    + " order by t.last_at desc, t.no desc",
                place.lastAt(),
                place.no(),
                reader.flag(),
                reader.name(),
                limit));
  }

  /** As the other, of all threads. */
  public List<ThreadRow> list(ThreadReader reader, String after, int limit) {
    return list(reader, Archived.WITH, after, limit);
  }

  /** Which threads a list is of. */
  public enum Archived {
    WITHOUT(" and not " + ThreadLabels.ARCHIVED),
    ONLY(" and " + ThreadLabels.ARCHIVED),
    WITH("");

    private final String condition;

    Archived(String condition) {
      this.condition = condition;
    }
  }

  /** Where a thread stands in the order of their last messages. */
  private record Place(long lastAt, long no) {
    static Place of(String text) {
      if (text.isEmpty()) {
        return new Place(Long.MAX_VALUE, Long.MAX_VALUE);
      }
      if (!text.matches("-?[0-9]{1,18}-[0-9]{1,18}")) {
        throw new IllegalArgumentException("not a place in the list of threads");
      }
      int dash = text.lastIndexOf('-');
      return new Place(
          Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
    }
  }

  /** One thread; empty when no event of it was ever accepted. */
  public Optional<ThreadRow> find(String threadId) {
    activity.settle();
    return engine.ask(
        handle ->
            handle
                .createQuery(
                    SELECT + "threads t" + OWNER + " where t.events > 0 and t.thread_id = :id")
                .bind("id", threadId)
                .map((row, _) -> row(row))
                .findFirst());
  }

  /** Whether an event of the chat thread was ever accepted, as of the last commit: one read. */
  public boolean isKnown(String threadId) {
    return engine.read(
        sql ->
            sql.first(row -> row.getInt(1), "select 1 from threads where thread_id = ?", threadId)
                .isPresent());
  }

  private static ThreadRow row(ResultSet row) throws SQLException {
    return new ThreadRow(
        row.getString(1),
        Instant.ofEpochMilli(row.getLong(2)),
        row.getLong(3),
        row.getLong(4),
        row.getLong(2) + "-" + row.getLong(5),
        row.getString(6),
        row.getInt(7) != 0,
        row.getString(8),
        row.getInt(9) != 0);
  }

  /**
   * A chat thread as the database knows it. {@code events}: all ever accepted; {@code open}: not
   * finished; {@code place}: for {@link #list}; {@code owner}: empty when it belongs to operators
   * alone; {@code shared}: open to everybody; {@code title}: empty when it has none.
   */
  public record ThreadRow(
      String threadId,
      Instant lastAt,
      long events,
      long open,
      String place,
      String owner,
      boolean shared,
      String title,
      boolean archived) {}
}
