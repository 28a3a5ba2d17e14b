package dev.holdfast.tools.memory;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.time.Time;
import dev.holdfast.tools.files.Sha256;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * How often each line of a chat thread's memory was found, by which questions and on which days.
 * Lines and questions are kept as hashes. Thread-safe.
 */
public final class RecallHits {
  private static final Tables TABLES =
      new Tables(
          "recall_hits",
          List.of(
              """
              create table recall_hits (
                thread_id text not null,
                line text not null,
                question text not null,
                day integer not null,
                hits integer not null,
                share real not null,
                last_at integer not null,
                primary key (thread_id, line, question, day)
              ) without rowid;
              create index recall_hits_at on recall_hits (last_at);
              """));

  /** Of one line by one question on one day: more say nothing new. */
  private static final int HITS_MAX = 10;

  private static final int ROWS_MAX = 100_000;
  private static final Duration KEPT = Duration.ofDays(90);
  private static final int PURGED_AT_ONCE = 500;

  /** Counting all rows takes some milliseconds. */
  private static final int CALLS_PER_PURGE = 200;

  private static final String NO_WORD = "[^\\p{L}\\p{N}]+";

  private final Engine engine;
  private final Time time;
  private final ZoneId zone;

  /** Used on the writer's thread alone. */
  private int callsSincePurge = CALLS_PER_PURGE;

  private RecallHits(Engine engine, Time time, ZoneId zone) {
    this.engine = engine;
    this.time = time;
    this.zone = zone;
  }

  /** Brings its table up to date. Blocks. */
  public static RecallHits open(Engine engine, Time time, ZoneId zone)
      throws StoreException, StartRefusedException {
    engine.bring(TABLES);
    return new RecallHits(engine, time, zone);
  }

  /**
   * What is known of one line.
   *
   * @param hits how often it was found
   * @param questions by how many different ones
   * @param days on how many different ones
   * @param share which part of the line's words the questions named, in the middle, from 0 to 1
   * @param lastAt the epoch when it was never found
   */
  public record Found(int hits, int questions, int days, double share, Instant lastAt) {}

  /**
   * Lines were found by a question; written with the next commit. A question without words names no
   * line in particular, and does not count.
   *
   * @param lines as people see them, with their dates
   */
  void found(String threadId, List<String> lines, String query) {
    Set<String> asked = words(query);
    if (asked.isEmpty() || lines.isEmpty()) {
      return;
    }
    String question = hash(String.join(" ", asked));
    Instant now = time.now();
    long day = LocalDate.ofInstant(now, zone).toEpochDay();
    engine.later(
        tx -> {
          int written = 0;
          for (String line : lines) {
            Set<String> words = words(textOf(line));
            double share = Math.min(1, (double) asked.size() / Math.max(1, words.size()));
            written += add(tx, threadId, keyOf(textOf(line)), question, day, share, now);
          }
          callsSincePurge++;
          if (callsSincePurge > CALLS_PER_PURGE) {
            callsSincePurge = 0;
            written += purge(tx, now);
          }
          return written;
        });
  }

  private static int add(
      Transaction tx,
      String threadId,
      String line,
      String question,
      long day,
      double share,
      Instant now)
      throws SQLException {
    return tx.sql()
        .update(
            "insert into recall_hits (thread_id, line, question, day, hits, share, last_at)"
                + " values (?, ?, ?, ?, 1, ?, ?) on conflict (thread_id, line, question, day)"
                + " do update set hits = min(hits + 1, ?), last_at = excluded.last_at",
            threadId,
            line,
            question,
            day,
            share,
            Timestamps.of(now),
            HITS_MAX);
  }

  private static int purge(Transaction tx, Instant now) throws SQLException {
    int old =
        tx.sql()
            .update(
                "delete from recall_hits where (thread_id, line, question, day) in (select"
                    + " thread_id, line, question, day from recall_hits where last_at < ?"
                    + " order by last_at limit ?)",
                Timestamps.of(now.minus(KEPT)),
                PURGED_AT_ONCE);
    int rows = tx.sql().first(row -> row.getInt(1), "select count(*) from recall_hits").orElse(0);
    return rows <= ROWS_MAX
        ? old
        : old
            + tx.sql()
                .update(
                    "delete from recall_hits where (thread_id, line, question, day) in (select"
                        + " thread_id, line, question, day from recall_hits"
                        + " order by last_at limit ?)",
                    rows - ROWS_MAX);
  }

  /**
   * @param text of the line, without its date
   */
  public Found of(String threadId, String text) {
    return engine.read(
        sql ->
            sql.first(
                    row ->
                        new Found(
                            row.getInt(1),
                            row.getInt(2),
                            row.getInt(3),
                            row.getDouble(4),
                            Instant.ofEpochMilli(row.getLong(5))),
                    "select coalesce(sum(hits), 0), count(distinct question), count(distinct day),"
                        + " coalesce(sum(share * hits) / sum(hits), 0), coalesce(max(last_at), 0)"
                        + " from recall_hits where thread_id = ? and line = ?",
                    threadId,
                    keyOf(text))
                .orElseThrow());
  }

  /** Deletes all of a thread. */
  public static void forget(Transaction tx, String threadId) throws SQLException {
    int _ = tx.sql().update("delete from recall_hits where thread_id = ?", threadId);
  }

  /** A line without the date that it begins with. */
  private static String textOf(String line) {
    return line.replaceFirst("^- [0-9]{4}-[0-9]{2}-[0-9]{2}: ", "");
  }

  private static String keyOf(String text) {
    return hash(Memory.folded(text).toLowerCase(Locale.ROOT));
  }

  /** In one order, so that the same words are the same question. */
  private static Set<String> words(String text) {
    return Arrays.stream(text.toLowerCase(Locale.ROOT).split(NO_WORD, -1))
        .filter(word -> !word.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String hash(String text) {
    return Sha256.of(text).substring(0, 24);
  }
}
