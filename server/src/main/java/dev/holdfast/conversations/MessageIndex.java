package dev.holdfast.conversations;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.ThreadReader;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The words of all conversations, to be found. Made from the conversations' logs: what is lost of
 * it is read from them again. Thread-safe; everything blocks.
 */
public final class MessageIndex {
  static final Tables TABLES =
      new Tables(
          "message_index",
          List.of(
              """
              create table message_index (
                no integer primary key,
                thread integer not null,
                entry text not null,
                event_id text not null,
                role text not null
              );
              create unique index message_index_entry on message_index (entry);
              create index message_index_thread on message_index (thread);
              create table message_index_logs (
                thread integer primary key,
                bytes integer not null
              );
              create virtual table message_index_words using fts5(
                text, tokenize = "unicode61 remove_diacritics 2"
              );
              """,
              """
              drop table message_index_words;
              delete from message_index;
              delete from message_index_logs;
              create virtual table message_index_words using fts5(
                text, tokenize = "unicode61 remove_diacritics 2", prefix = "1 2"
              );
              """));

  /** Rows are numbered by their time, with room for so many of one millisecond. */
  private static final long ROWS_PER_MILLI = 1024;

  private static final int ROWS_PER_STEP = 200;
  private static final int HIT_BEGINS = 1;
  private static final int HIT_ENDS = 2;

  private final Engine engine;

  MessageIndex(Engine engine) {
    this.engine = engine;
  }

  /** What was said, as it stands in the log of its thread. */
  record Said(String entry, String eventId, String role, Instant at, String text) {}

  /**
   * Something that was found.
   *
   * @param no where the next page begins
   * @param title of the thread; empty when it has none
   * @param excerpt of the text, around the words
   * @param marks pairs of places in the excerpt, in units of UTF-16: where each word begins and
   *     ends
   */
  public record Hit(
      long no,
      String threadId,
      String title,
      String entry,
      String eventId,
      String role,
      Instant at,
      String excerpt,
      List<Integer> marks) {}

  /** Adds what is not known yet. Returns how many that were. */
  int add(String threadId, List<Said> batch) throws StoreException {
    return engine.call(tx -> insert(tx, threadId, batch));
  }

  private static int insert(Transaction tx, String threadId, List<Said> batch) throws SQLException {
    Statements sql = tx.sql();
    Optional<Long> thread = thread(sql, threadId);
    int added = 0;
    for (Said said : thread.isPresent() ? batch : List.<Said>of()) {
      boolean known =
          sql.first(
                  row -> row.getInt(1), "select 1 from message_index where entry = ?", said.entry())
              .isPresent();
      if (!known) {
        long no = said.at().toEpochMilli() * ROWS_PER_MILLI;
        while (sql.update(
                "insert into message_index (no, thread, entry, event_id, role)"
                    + " values (?, ?, ?, ?, ?) on conflict (no) do nothing",
                no,
                thread.get(),
                said.entry(),
                said.eventId(),
                said.role())
            == 0) {
          no++;
        }
        int _ =
            sql.update(
                "insert into message_index_words (rowid, text) values (?, ?)",
                no,
                SearchWords.apart(said.text()));
        added++;
      }
    }
    return added;
  }

  private static Optional<Long> thread(Statements sql, String threadId) throws SQLException {
    return sql.first(row -> row.getLong(1), "select no from threads where thread_id = ?", threadId);
  }

  /** How long the log of a thread was when it was read last; -1: never. */
  long bytesRead(String threadId) {
    return engine.read(
        sql ->
            sql.first(
                    row -> row.getLong(1),
                    "select bytes from message_index_logs where thread ="
                        + " (select no from threads where thread_id = ?)",
                    threadId)
                .orElse(-1L));
  }

  void setBytesRead(String threadId, long bytes) throws StoreException {
    int _ =
        engine.call(
            tx ->
                tx.sql()
                    .update(
                        "insert into message_index_logs (thread, bytes)"
                            + " select no, ? from threads where thread_id = ? on conflict (thread)"
                            + " do update set bytes = excluded.bytes",
                        bytes,
                        threadId));
  }

  /** Forgets all words of a thread, in small steps. */
  void forget(String threadId) throws StoreException {
    while (engine.call(tx -> forget(tx, threadId)) == ROWS_PER_STEP) {
      // there may be more
    }
  }

  private static int forget(Transaction tx, String threadId) throws SQLException {
    Statements sql = tx.sql();
    List<Long> rows =
        sql.list(
            row -> row.getLong(1),
            "select no from message_index where thread ="
                + " (select no from threads where thread_id = ?) limit ?",
            threadId,
            ROWS_PER_STEP);
    for (long no : rows) {
      int _ = sql.update("delete from message_index_words where rowid = ?", no);
      int _ = sql.update("delete from message_index where no = ?", no);
    }
    int _ =
        sql.update(
            "delete from message_index_logs where thread ="
                + " (select no from threads where thread_id = ?)",
            threadId);
    return rows.size();
  }

  /** Forgets everything: it is made anew from the logs. */
  public void clear() throws StoreException {
    boolean _ =
        engine.call(
            tx -> {
              int _ = tx.sql().update("delete from message_index_words");
              int _ = tx.sql().update("delete from message_index");
              int _ = tx.sql().update("delete from message_index_logs");
              return true;
            });
  }

  /**
   * What the reader may see and has all the words, newest first. Nothing for a text without words.
   *
   * @param words as a person types them; the last one may be a beginning, quotes hold a phrase
   * @param threadId only this thread's; empty for all
   * @param before only rows with a smaller number
   */
  public List<Hit> search(
      ThreadReader reader, String words, String threadId, long before, int limit) {
    String query = SearchWords.query(words);
    if (query.isEmpty()) {
      return List.of();
    }
    return engine.read(
        sql ->
            sql.list(
                MessageIndex::hit,
                "select m.no, t.thread_id, coalesce(l.title, ''), m.entry, m.event_id, m.role,"
                    + " snippet(message_index_words, 0, char(1), char(2), '…', 24)"
                    + " from message_index_words x join message_index m on m.no = x.rowid"
                    + " join threads t on t.no = m.thread"
                    + " left join thread_labels l on l.thread_id = t.thread_id"
                    // A word of every message that a reader may not see is a long way to go: each
                    // step looks up a number, and the lists of numbers are made once.
                    + " where message_index_words match ? and x.rowid < ? and m.thread not in"
                    + " (select no from threads where thread_id in"
                    + " (select thread_id from thread_erasures))"
                    + " and (? = 1 or m.thread in (select no from threads where "
                    + ThreadReader.maySee("thread_id")
                    + ")) and (? = '' or m.thread = (select no from threads where thread_id = ?))"
                    + " order by x.rowid desc limit ?",
                query,
                before,
                reader.flag(),
                reader.flag(),
                reader.name(),
                threadId,
                threadId,
                limit));
  }

  private static Hit hit(ResultSet row) throws SQLException {
    StringBuilder excerpt = new StringBuilder();
    List<Integer> marks = new ArrayList<>();
    row.getString(7)
        .codePoints()
        .forEach(
            point -> {
              if (point == HIT_BEGINS || point == HIT_ENDS) {
                marks.add(excerpt.length());
              } else if (point != SearchWords.APART) {
                StringBuilder _ = excerpt.appendCodePoint(point);
              }
            });
    long no = row.getLong(1);
    return new Hit(
        no,
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        Instant.ofEpochMilli(no / ROWS_PER_MILLI),
        excerpt.toString(),
        List.copyOf(marks));
  }
}
