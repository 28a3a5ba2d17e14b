package dev.holdfast.memory;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What sweeps did and how far they came. A file is replaced between two commits: the first says
 * what it will be, the second that it is. Thread-safe; everything blocks.
 */
final class SweepLedger {
  private static final Tables TABLES =
      new Tables(
          "memory_sweep",
          List.of(
              """
              create table memory_sweep_runs (
                id text primary key,
                begun_at integer not null,
                ended_at integer not null,
                by text not null,
                thread_id text not null,
                dry integer not null,
                outcome text not null,
                promoted integer not null,
                note text not null
              ) without rowid;
              create table memory_sweep_threads (
                run text not null,
                thread_id text not null,
                outcome text not null,
                at integer not null,
                kept integer not null,
                merged integer not null,
                dropped integer not null,
                proposed integer not null,
                story text not null,
                before text not null,
                after text not null,
                last_line text not null,
                primary key (run, thread_id)
              ) without rowid;
              create index memory_sweep_threads_thread on memory_sweep_threads (thread_id);
              create table memory_sweep_marks (
                thread_id text primary key,
                last_line text not null
              ) without rowid;
              create table memory_sweep_people (
                thread_id text not null,
                name text not null,
                primary key (thread_id, name)
              ) without rowid;
              create table memory_sweep_proposals (
                id text primary key,
                thread_id text not null,
                day text not null,
                text text not null,
                why text not null,
                at integer not null,
                state text not null,
                score real not null,
                notes text not null,
                decided_by text not null,
                decided_at integer not null
              ) without rowid;
              """,
              """
              create table memory_sweep_restores (
                thread_id text primary key,
                version integer not null,
                by text not null,
                after text not null
              ) without rowid;
              """,
              """
              alter table memory_sweep_marks add column refusals integer not null default 0;
              """,
              """
              alter table memory_sweep_threads add column updated integer not null default 0;
              """));

  private static final int RUNS_KEPT = 200;
  static final int PEOPLE_MAX = 20_000;

  /** That wait for a decision: in all, and of one thread. */
  static final int PROPOSALS_MAX = 1000;

  static final int PROPOSALS_PER_THREAD_MAX = 100;

  /** Decisions that are remembered. */
  private static final int DECIDED_MAX = 10_000;

  private static final int STORY_UNITS_MAX = 128 * 1024;
  private static final String RUN =
      "select id, begun_at, ended_at, by, thread_id, dry, outcome, promoted, note"
          + " from memory_sweep_runs";
  private static final String PROPOSAL =
      "select id, thread_id, day, text, why, at, state, score, notes, decided_by, decided_at"
          + " from memory_sweep_proposals";

  private final Engine engine;
  private final Audit audit;
  private volatile Swept swept = new Swept("", false);

  private SweepLedger(Engine engine, Audit audit) {
    this.engine = engine;
    this.audit = audit;
  }

  static SweepLedger open(Engine engine, Audit audit) throws StoreException, StartRefusedException {
    engine.bring(TABLES);
    return new SweepLedger(engine, audit);
  }

  /**
   * The thread that is swept.
   *
   * @param isErased whether it was deleted since
   */
  private record Swept(String threadId, boolean isErased) {}

  /**
   * From here on nothing is kept of a thread if it is deleted, until the next one is begun. What is
   * read of it is read after that.
   */
  void begin(String threadId) throws StoreException {
    boolean _ =
        engine.call( // one after the other with deletions
            tx -> {
              swept = new Swept(threadId, isBeingErased(tx, threadId));
              return true;
            });
  }

  private static boolean isBeingErased(Transaction tx, String threadId) throws SQLException {
    return tx.sql()
        .first(row -> row.getInt(1), "select 1 from thread_erasures where thread_id = ?", threadId)
        .isPresent();
  }

  /** Whether a thread was deleted since it was begun. */
  boolean isErased(String threadId) {
    return swept.equals(new Swept(threadId, true));
  }

  /** Remembers a run that begins, or how it is. */
  void keep(SweepRun run) throws StoreException {
    @Nullable Instant ended = run.endedAt();
    int _ =
        engine.call(
            tx -> {
              if (ended != null && isErased(run.threadId())) {
                return tx.sql().update("delete from memory_sweep_runs where id = ?", run.id());
              }
              int _ =
                  tx.sql()
                      .update(
                          "insert into memory_sweep_runs (id, begun_at, ended_at, by, thread_id,"
                              + " dry, outcome, promoted, note) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                              + " on conflict (id) do update set ended_at = excluded.ended_at,"
                              + " outcome = excluded.outcome, promoted = excluded.promoted,"
                              + " note = excluded.note",
                          run.id(),
                          Timestamps.of(run.begunAt()),
                          ended == null ? 0L : Timestamps.of(ended),
                          run.by(),
                          run.threadId(),
                          run.dry() ? 1 : 0,
                          run.outcome().name(),
                          run.promoted(),
                          run.note());
              return forgetOldRuns(tx);
            });
  }

  private static int forgetOldRuns(Transaction tx) throws SQLException {
    String old =
        "(select id from memory_sweep_runs order by begun_at desc limit -1 offset "
            + RUNS_KEPT
            + ")";
    return tx.sql()
            .update("delete from memory_sweep_threads where outcome <> 'PLANNED' and run in " + old)
        + tx.sql().update("delete from memory_sweep_runs where id in " + old);
  }

  /** Newest first. */
  List<SweepRun> runs(int limit) {
    return engine.read(
        sql -> sql.list(SweepLedger::run, RUN + " order by begun_at desc limit ?", limit));
  }

  Optional<SweepRun> run(String id) {
    return engine.read(sql -> sql.first(SweepLedger::run, RUN + " where id = ?", id));
  }

  /**
   * When the newest began that was made without being asked for; those that a mode or a stop ended
   * are made again.
   */
  Optional<Instant> lastScheduled() {
    return engine.read(
        sql ->
            sql.first(
                row -> Instant.ofEpochMilli(row.getLong(1)),
                "select begun_at from memory_sweep_runs where by = 'server'"
                    + " and outcome not in ('MODE', 'CANCELLED')"
                    + " order by begun_at desc limit 1"));
  }

  private static SweepRun run(ResultSet row) throws SQLException {
    return new SweepRun(
        row.getString(1),
        Instant.ofEpochMilli(row.getLong(2)),
        row.getLong(3) == 0 ? null : Instant.ofEpochMilli(row.getLong(3)),
        row.getString(4),
        row.getString(5),
        row.getInt(6) == 1,
        SweepRun.Outcome.valueOf(row.getString(7)),
        row.getInt(8),
        row.getString(9));
  }

  /** What the file will be, before it is replaced. */
  void plan(String run, SweptThread swept, String before, String after, String lastLine)
      throws StoreException {
    int _ = engine.call(tx -> write(tx, run, swept, before, after, lastLine));
  }

  /** Returns 0, and keeps nothing, when the thread was deleted. */
  private int write(
      Transaction tx, String run, SweptThread swept, String before, String after, String lastLine)
      throws SQLException {
    if (isErased(swept.threadId())) {
      return 0;
    }
    String story = swept.story().encode();
    return tx.sql()
        .update(
            "insert into memory_sweep_threads (run, thread_id, outcome, at, kept, merged, dropped,"
                + " updated, proposed, story, before, after, last_line) values (?, ?, ?, ?, ?, ?,"
                + " ?, ?, ?, ?, ?, ?, ?) on conflict (run, thread_id) do update set outcome ="
                + " excluded.outcome, at = excluded.at, kept = excluded.kept, merged ="
                + " excluded.merged, dropped = excluded.dropped, updated = excluded.updated,"
                + " proposed = excluded.proposed, story = excluded.story, before = excluded.before,"
                + " after = excluded.after, last_line = excluded.last_line",
            run,
            swept.threadId(),
            swept.outcome().name(),
            Timestamps.of(swept.at()),
            swept.kept(),
            swept.merged(),
            swept.dropped(),
            swept.updated(),
            swept.proposed(),
            story.length() <= STORY_UNITS_MAX ? story : "{\"omitted\":true}",
            before,
            after,
            lastLine);
  }

  /**
   * A thread is done with: its story, how far its talk was read, and what it proposes, with one
   * entry of the audit when its file was changed.
   */
  SweptThread done(
      String run,
      SweptThread swept,
      String lastLine,
      List<Proposal> proposals,
      Optional<AuditEntry> told)
      throws StoreException {
    return engine.call(
        tx -> {
          if (isErased(swept.threadId())) {
            return swept;
          }
          int leftOut = 0;
          for (Proposal proposal : proposals) {
            leftOut += insert(tx, proposal) ? 0 : 1;
          }
          SweptThread kept = leftOut == 0 ? swept : swept.leavingOut(leftOut);
          int _ = write(tx, run, kept, "", "", lastLine);
          mark(tx, swept.threadId(), new Mark(lastLine, 0));
          if (told.isPresent()) {
            var _ = audit.insert(tx, told.get());
          }
          return kept;
        });
  }

  /** The story alone: the thread is looked at again. */
  void note(String run, SweptThread swept) throws StoreException {
    int _ = engine.call(tx -> write(tx, run, swept, "", "", ""));
  }

  /**
   * A model's answer was refused: what it was shown is read again, but not for ever.
   *
   * @param mark from which it was read
   * @param lastLine up to which it was
   */
  void refused(String run, SweptThread swept, Mark mark, String lastLine) throws StoreException {
    boolean _ =
        engine.call(
            tx -> {
              if (write(tx, run, swept, "", "", lastLine) == 0) {
                return false;
              }
              mark(tx, swept.threadId(), mark.refused(lastLine));
              return true;
            });
  }

  private static void mark(Transaction tx, String threadId, Mark mark) throws SQLException {
    int _ =
        tx.sql()
            .update(
                "insert into memory_sweep_marks (thread_id, last_line, refusals) values (?, ?, ?)"
                    + " on conflict (thread_id) do update set last_line = excluded.last_line,"
                    + " refusals = excluded.refusals",
                threadId,
                mark.lastLine(),
                mark.refusals());
  }

  /**
   * How far the talk of a thread was read.
   *
   * @param lastLine the id of that line of its log; empty when nothing was
   * @param refusals in a row, of answers about what follows
   */
  record Mark(String lastLine, int refusals) {
    static final int REFUSALS_MAX = 3;

    Mark refused(String readUpTo) {
      return isLastTry() ? new Mark(readUpTo, 0) : new Mark(lastLine, refusals + 1);
    }

    /** Whether one refusal more lets it go on without what follows. */
    boolean isLastTry() {
      return refusals + 1 >= REFUSALS_MAX;
    }
  }

  Mark mark(String threadId) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> new Mark(row.getString(1), row.getInt(2)),
                    "select last_line, refusals from memory_sweep_marks where thread_id = ?",
                    threadId))
        .orElse(new Mark("", 0));
  }

  /** A change that was decided on when the server ended. */
  record Unfinished(String run, SweptThread swept, String before, String after, String lastLine) {}

  List<Unfinished> unfinished() {
    return engine.read(
        sql ->
            sql.list(
                row ->
                    new Unfinished(
                        row.getString(1),
                        swept(row, 2),
                        row.getString(11),
                        row.getString(12),
                        row.getString(13)),
                "select run, thread_id, outcome, at, kept, merged, dropped, updated, proposed,"
                    + " story, before, after, last_line from memory_sweep_threads where outcome ="
                    + " 'PLANNED'"));
  }

  /**
   * An earlier content that is brought back.
   *
   * @param threadId empty for the memory of all
   * @param after the SHA-256 of the content
   */
  record Restore(String threadId, int version, String by, String after) {}

  /** Remembers a restore before the file is replaced. */
  void plan(Restore restore) throws StoreException {
    int _ =
        engine.call(
            tx ->
                tx.sql()
                    .update(
                        "insert or replace into memory_sweep_restores (thread_id, version, by,"
                            + " after) values (?, ?, ?, ?)",
                        restore.threadId(),
                        restore.version(),
                        restore.by(),
                        restore.after()));
  }

  /** Those of which it is not known whether the file was replaced. */
  List<Restore> unfinishedRestores() {
    return engine.read(
        sql ->
            sql.list(
                row ->
                    new Restore(
                        row.getString(1), row.getInt(2), row.getString(3), row.getString(4)),
                "select thread_id, version, by, after from memory_sweep_restores"));
  }

  /** A restore is over, with one entry of the audit when the file was replaced. */
  void restored(Restore restore, boolean isReplaced) throws StoreException {
    JsonObject details =
        new JsonObject()
            .put("scope", restore.threadId().isEmpty() ? "global" : "thread")
            .put("version", restore.version())
            .put("sha256", restore.after());
    boolean _ =
        engine.call(
            tx -> {
              int _ =
                  tx.sql()
                      .update(
                          "delete from memory_sweep_restores where thread_id = ?",
                          restore.threadId());
              if (isReplaced) {
                var _ =
                    audit.insert(
                        tx,
                        new AuditEntry(
                            "memory.restored",
                            "",
                            "",
                            restore.threadId(),
                            restore.by(),
                            details.encode()));
              }
              return true;
            });
  }

  List<SweptThread> threads(String run) {
    return engine.read(
        sql ->
            sql.list(
                row -> swept(row, 1),
                "select thread_id, outcome, at, kept, merged, dropped, updated, proposed, story"
                    + " from memory_sweep_threads where run = ? order by at",
                run));
  }

  private static SweptThread swept(ResultSet row, int first) throws SQLException {
    return new SweptThread(
        row.getString(first),
        SweptThread.Outcome.valueOf(row.getString(first + 1)),
        Instant.ofEpochMilli(row.getLong(first + 2)),
        row.getInt(first + 3),
        row.getInt(first + 4),
        row.getInt(first + 5),
        row.getInt(first + 6),
        row.getInt(first + 7),
        new JsonObject(row.getString(first + 8)));
  }

  /** Remembers what somebody is called who has written, with the next commit. Does not block. */
  void person(String name) {
    engine.later(
        tx ->
            tx.sql()
                .update(
                    "insert into memory_sweep_people (thread_id, name) select '', ? where"
                        + " (select count(*) from memory_sweep_people) < ? on conflict do nothing",
                    name,
                    PEOPLE_MAX));
  }

  /** Remembers what people of a thread are called. */
  void people(String threadId, Collection<String> names) throws StoreException {
    int _ =
        engine.call(
            tx -> {
              int added = 0;
              int known = count(tx.sql(), "memory_sweep_people");
              // A deletion keeps them, too: without where they have written.
              String where = isErased(threadId) ? "" : threadId;
              for (String name : names) {
                if (known + added < PEOPLE_MAX) {
                  added +=
                      tx.sql()
                          .update(
                              "insert into memory_sweep_people (thread_id, name) values (?, ?)"
                                  + " on conflict do nothing",
                              where,
                              name);
                }
              }
              return added;
            });
  }

  private static int count(Statements sql, String rows, Object... values) throws SQLException {
    return sql.first(row -> row.getInt(1), "select count(*) from " + rows, values).orElse(0);
  }

  Set<String> people() {
    return Set.copyOf(
        engine.read(
            sql ->
                sql.list(
                    row -> row.getString(1), "select distinct name from memory_sweep_people")));
  }

  /**
   * One that was ever proposed in the same words is not proposed again. False when there is no room
   * for it: one that waits for a decision is not given up for another.
   */
  private static boolean insert(Transaction tx, Proposal proposal) throws SQLException {
    if (count(
            tx.sql(),
            "memory_sweep_proposals where thread_id = ? and text = ?",
            proposal.threadId(),
            proposal.text())
        > 0) {
      return true;
    }
    int _ =
        tx.sql()
            .update(
                "delete from memory_sweep_proposals where id in (select id from"
                    + " memory_sweep_proposals where state in ('PROMOTED', 'UNDONE', 'REJECTED')"
                    + " order by decided_at desc limit -1 offset ?)",
                DECIDED_MAX);
    String waiting = "memory_sweep_proposals where state in ('WATCHED', 'READY')";
    if (count(tx.sql(), waiting + " and thread_id = ?", proposal.threadId())
            >= PROPOSALS_PER_THREAD_MAX
        || count(tx.sql(), waiting) >= PROPOSALS_MAX) {
      return false;
    }
    int _ =
        tx.sql()
            .update(
                "delete from memory_sweep_proposals where id in (select id from"
                    + " memory_sweep_proposals where state = 'WITHDRAWN'"
                    + " order by at desc limit -1 offset ?)",
                PROPOSALS_MAX);
    write(tx, proposal);
    return true;
  }

  /** What is no longer of use. */
  void forget(Proposal proposal) throws StoreException {
    int _ =
        engine.call(
            tx ->
                tx.sql().update("delete from memory_sweep_proposals where id = ?", proposal.id()));
  }

  /**
   * Changes a proposal, with an entry of the audit that tells of it. False, and nothing is changed,
   * when it was deleted with its thread.
   */
  boolean keep(Proposal proposal, Optional<AuditEntry> told) throws StoreException {
    @Nullable Instant decided = proposal.decidedAt();
    return engine.call(
        tx -> {
          int changed =
              tx.sql()
                  .update(
                      "update memory_sweep_proposals set state = ?, score = ?, notes = ?,"
                          + " decided_by = ?, decided_at = ? where id = ?",
                      proposal.state().name(),
                      proposal.score(),
                      new JsonArray(List.copyOf(proposal.notes())).encode(),
                      proposal.decidedBy(),
                      decided == null ? 0L : Timestamps.of(decided),
                      proposal.id());
          if (changed > 0 && told.isPresent()) {
            var _ = audit.insert(tx, told.get());
          }
          return changed > 0;
        });
  }

  private static void write(Transaction tx, Proposal proposal) throws SQLException {
    @Nullable Instant decided = proposal.decidedAt();
    int _ =
        tx.sql()
            .update(
                "insert into memory_sweep_proposals (id, thread_id, day, text, why, at, state,"
                    + " score, notes, decided_by, decided_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                    + " ?)",
                proposal.id(),
                proposal.threadId(),
                proposal.day().toString(),
                proposal.text(),
                proposal.why(),
                Timestamps.of(proposal.at()),
                proposal.state().name(),
                proposal.score(),
                new JsonArray(List.copyOf(proposal.notes())).encode(),
                proposal.decidedBy(),
                decided == null ? 0L : Timestamps.of(decided));
  }

  Optional<Proposal> proposal(String id) {
    return engine.read(sql -> sql.first(SweepLedger::proposal, PROPOSAL + " where id = ?", id));
  }

  /** Oldest first. */
  List<Proposal> proposals() {
    return engine.read(sql -> sql.list(SweepLedger::proposal, PROPOSAL + " order by at, id"));
  }

  private static Proposal proposal(ResultSet row) throws SQLException {
    return new Proposal(
        row.getString(1),
        row.getString(2),
        LocalDate.parse(row.getString(3)),
        row.getString(4),
        row.getString(5),
        Instant.ofEpochMilli(row.getLong(6)),
        Proposal.State.valueOf(row.getString(7)),
        row.getDouble(8),
        new JsonArray(row.getString(9)).stream().map(String.class::cast).toList(),
        row.getString(10),
        row.getLong(11) == 0 ? null : Instant.ofEpochMilli(row.getLong(11)));
  }

  /**
   * Deletes what is known of a thread. A line that all threads know already stays, and so do the
   * names of people who wrote in it, which may not be promoted: without where they come from.
   */
  void forget(Transaction tx, String threadId) throws SQLException {
    if (swept.threadId().equals(threadId)) {
      swept = new Swept(threadId, true);
    }
    for (String change :
        List.of(
            "delete from memory_sweep_threads where thread_id = ?",
            "delete from memory_sweep_runs where thread_id = ? and ended_at > 0",
            "delete from memory_sweep_marks where thread_id = ?",
            "insert or ignore into memory_sweep_people (thread_id, name)"
                + " select '', name from memory_sweep_people where thread_id = ?",
            "delete from memory_sweep_people where thread_id = ?",
            "delete from memory_sweep_restores where thread_id = ?",
            "delete from memory_sweep_proposals where thread_id = ?"
                + " and state not in ('APPROVED', 'PROMOTED')",
            "update memory_sweep_proposals set thread_id = '' where thread_id = ?")) {
      int _ = tx.sql().update(change, threadId);
    }
  }
}
