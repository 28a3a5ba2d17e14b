package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Timestamps;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What people see of a chat thread in a list: its title, and whether it is archived. Thread-safe;
 * everything blocks.
 */
public final class ThreadLabels {
  public static final Tables TABLES =
      new Tables(
          "thread_labels",
          List.of(
              """
              create table thread_labels (
                thread_id text primary key,
                title text not null,
                titled_by text not null,
                archived_at integer not null
              ) without rowid;
              """));

  /** In code points. */
  public static final int TITLE_MAX = 80;

  /**
   * For lists of {@code threads t} with {@code thread_labels l}: whether the thread is archived. A
   * new message brings it back.
   */
  static final String ARCHIVED = "coalesce(l.archived_at, 0) >= t.last_at";

  private final Engine engine;

  public ThreadLabels(Engine engine) {
    this.engine = engine;
  }

  /** Who made a title; each may replace what those before it made. */
  public enum TitledBy {
    /** The beginning of the first message. */
    MESSAGE,
    MODEL,
    PERSON
  }

  /**
   * A title of at most {@link #TITLE_MAX} code points on one line, without invisible signs; empty
   * when nothing is left.
   */
  public static String titleOf(String text) {
    String line =
        text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\s]+", " ")
            .replaceAll("\\s{2,}", " ")
            .strip();
    if (line.codePointCount(0, line.length()) <= TITLE_MAX) {
      return line;
    }
    return line.substring(0, line.offsetByCodePoints(0, TITLE_MAX - 1)).strip() + "…";
  }

  /** The title as it is; empty when there is none. */
  public Optional<Title> find(String threadId) {
    return engine.read(
        sql ->
            sql.first(
                row -> new Title(row.getString(1), TitledBy.valueOf(row.getString(2))),
                "select title, titled_by from thread_labels where thread_id = ? and title <> ''",
                threadId));
  }

  /** A title and who made it. */
  public record Title(String text, TitledBy by) {}

  /**
   * Gives a thread its title, durable on return; a title that weighs more stays. Returns whether it
   * changed.
   */
  public boolean title(String threadId, String title, TitledBy by) throws StoreException {
    String replaced =
        switch (by) {
          case MESSAGE -> "title = ''";
          case MODEL -> "titled_by = 'MESSAGE'";
          case PERSON -> "true";
        };
    return engine.call(
        tx ->
            tx.sql()
                    .update(
                        "insert into thread_labels (thread_id, title, titled_by, archived_at)"
                            + " values (?, ?, ?, 0) on conflict (thread_id) do update"
                            + " set title = excluded.title, titled_by = excluded.titled_by where "
                            + replaced,
                        threadId,
                        title,
                        by.name())
                > 0);
  }

  /** Puts a thread away until its next message, or brings it back. Durable on return. */
  public void archive(String threadId, boolean archived, Instant now) throws StoreException {
    int _ =
        engine.call(
            tx ->
                tx.sql()
                    .update(
                        "insert into thread_labels (thread_id, title, titled_by, archived_at)"
                            + " values (?, '', 'MESSAGE', ?) on conflict (thread_id) do update"
                            + " set archived_at = excluded.archived_at",
                        threadId,
                        archived ? Timestamps.of(now) : 0L));
  }
}
