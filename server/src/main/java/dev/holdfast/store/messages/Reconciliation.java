package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Repairs.What;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.time.Time;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Holds the open events and replies against their tables, row by row: what a damaged index hides
 * would wait for ever, and nobody would know. What contradicts itself is put right, and counted.
 * Used by one thread.
 */
final class Reconciliation {
  /** An event that waits, as its table says. */
  private static final String EVENTS =
      "select e.seq, e.state, e.closed, e.damaged, e.outcome, t.thread_id,"
          + " exists (select 1 from events x indexed by events_open"
          + " where x.closed = 0 and x.seq = e.seq)"
          + " and exists (select 1 from events y indexed by events_thread"
          + " where y.thread = e.thread and y.closed = 0 and y.seq = e.seq)"
          + " and (t.no is null or (select no from threads where thread_id = t.thread_id) is e.thread)"
          + " from events e not indexed left join threads t on t.no = e.thread"
          + " where e.seq >= ? and e.seq < ? and (e.closed is not 1 or (e.state between 3 and 7)"
          + " is not 1)";

  /** It claims to have been sent. */
  private static final String NEVER_TRIED = "state in (2, 6) and attempts = 0 and delivered = 0";

  /** A reply that waits, and one that claims to have been sent and was never tried. */
  private static final String REPLIES =
      "select r.seq, r.state, r.damaged,"
          + " exists (select 1 from replies x indexed by replies_open"
          + " where x."
          + ReplyState.OPEN
          + " and x.seq = r.seq)"
          + " and exists (select 1 from replies y indexed by replies_open_thread"
          + " where y."
          + ReplyState.OPEN
          + " and y.thread = r.thread and y.seq = r.seq)"
          + " from replies r not indexed where r.seq >= ? and r.seq < ? and (r."
          + ReplyState.OPEN
          + " or ("
          + NEVER_TRIED
          + "))";

  /** By the index, which was looked through just before; what it leads to is read all the same. */
  private static final String OPEN_EVENTS =
      "select state, count(*) from events not indexed where seq in"
          + " (select seq from events indexed by events_open where closed = 0)"
          + " and closed = 0 and damaged = 0 group by state";

  private static final String OPEN_REPLIES =
      "select count(*) from replies not indexed where seq in"
          + " (select seq from replies indexed by replies_open where "
          + ReplyState.OPEN
          + ") and damaged = 0 and "
          + ReplyState.OPEN;

  private static final int WAITING_MAX = 10_000;

  /**
   * Places, open or not: a few milliseconds. No reading transaction of it keeps the log from
   * starting anew.
   */
  private static final int PAGE = 2000;

  /** A tenth of one processor: with a million open messages the look takes about a minute. */
  private static final int PAUSE_FACTOR = 9;

  private final Engine engine;
  private final Time time;
  private volatile Consumer<List<Waiting>> listener = _ -> {};

  /** Below these, all is over: nothing there is read again. */
  private long eventsFrom;

  private long repliesFrom;

  Reconciliation(Engine engine, Time time) {
    this.engine = engine;
    this.time = time;
  }

  /** Whoever shares the processors gets the time between two pages. */
  interface Pause {
    /** False when the look is to end here. */
    boolean rest(Duration wait);
  }

  /** A row that a look finds. */
  private sealed interface Open {
    long seq();

    boolean isSound();

    boolean found();
  }

  private record OpenEvent(
      long seq, int state, int closed, int damaged, int outcome, String threadId, boolean found)
      implements Open {
    /** Three columns say whether it is over, so that one that changed is outvoted. */
    boolean isOver() {
      int votes = (isOpenState() ? 0 : 1) + (closed != 0 ? 1 : 0) + (outcome >= 3 ? 1 : 0);
      return votes >= 2;
    }

    @Override
    public boolean isSound() {
      return isOpenState() && closed == 0 && damaged == 0;
    }

    boolean isConsistentlyOver() {
      return !isOpenState() && EventState.of(state).isPresent() && closed == 1;
    }

    int openState() {
      return isOpenState() ? state : EventState.PENDING.code();
    }

    int endState() {
      return Stream.of(state, outcome)
          .filter(code -> EventState.of(code).filter(found -> !found.isOpen()).isPresent())
          .findFirst()
          .orElse(EventState.DEAD_LETTERED.code());
    }

    private boolean isOpenState() {
      return EventState.of(state).filter(EventState::isOpen).isPresent();
    }
  }

  private record OpenReply(long seq, int state, int damaged, boolean found) implements Open {
    @Override
    public boolean isSound() {
      return damaged == 0 && ReplyState.of(state).filter(ReplyState::isOpen).isPresent();
    }
  }

  /** What a walk over the rows of one table has come to. */
  private static final class Walk {
    private final List<Long> unsound = new ArrayList<>();
    private long hidden;

    /** Where the next walk begins: at the oldest row that is open, or behind all. */
    private long from;

    private Walk(long end) {
      from = end;
    }

    private void add(Open row) {
      from = Math.min(from, row.seq());
      if (!row.isSound()) {
        unsound.add(row.seq());
      } else if (!row.found()) {
        hidden++;
      }
    }
  }

  /** Reads what is open at some places of a table. */
  private interface Pages<T extends Open> {
    List<T> read(Statements sql, long from, long before) throws SQLException;
  }

  /** Hears after each look what waits; hand over and return. */
  void onLook(Consumer<List<Waiting>> heard) {
    listener = heard;
  }

  /** One look. Blocks. Returns whether it put anything right. */
  boolean look(Pause pause) throws StoreException {
    List<Waiting> waiting = new ArrayList<>();
    Optional<Walk> events =
        walk(
            "events",
            // What came back from the dead letters may be older than all that was open.
            Math.min(eventsFrom, number("select min(seq) from events where closed = 0")),
            (sql, from, before) -> sql.list(Reconciliation::event, EVENTS, from, before),
            event -> {
              if (event.isSound()
                  && event.state() == EventState.PENDING.code()
                  && waiting.size() < WAITING_MAX) {
                waiting.add(new Waiting(event.seq(), event.threadId()));
              }
            },
            pause);
    if (events.isEmpty()) {
      return false;
    }
    Optional<Walk> replies =
        walk(
            "replies",
            Math.min(repliesFrom, number("select min(seq) from replies where " + ReplyState.OPEN)),
            (sql, from, before) -> sql.list(Reconciliation::reply, REPLIES, from, before),
            _ -> {},
            pause);
    if (replies.isEmpty()) {
      return false;
    }
    boolean mended = rows(events.get(), replies.get());
    mended |= indexes(events.get().hidden + replies.get().hidden);
    eventsFrom = events.get().from;
    repliesFrom = replies.get().from;
    mended |= counts();
    listener.accept(List.copyOf(waiting));
    if (mended) {
      engine.mended();
    }
    return mended;
  }

  /** Goes over all rows that a table has by now; empty when it was ended on the way. */
  private <T extends Open> Optional<Walk> walk(
      String table, long start, Pages<T> pages, Consumer<T> each, Pause pause) {
    long end = number("select max(seq) + 1 from " + table);
    Walk walk = new Walk(end == Long.MAX_VALUE ? start : end);
    long next = nextRow(table, start);
    while (next < end && end < Long.MAX_VALUE) {
      long from = next;
      long before = from < end - PAGE ? from + PAGE : end;
      long begun = time.nanos();
      for (T row : engine.read(sql -> pages.read(sql, from, before))) {
        walk.add(row);
        each.accept(row);
      }
      next = nextRow(table, before);
      if (next < end && !pause.rest(Duration.ofNanos((time.nanos() - begun) * PAUSE_FACTOR))) {
        return Optional.empty();
      }
    }
    return Optional.of(walk);
  }

  /** A damaged number may leave a gap that page by page takes days. */
  private long nextRow(String table, long from) {
    return number("select min(seq) from " + table + " where seq >= ?", from);
  }

  /** Long.MAX_VALUE when there is none. */
  private long number(String select, Object... parameters) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getObject(1) == null ? Long.MAX_VALUE : row.getLong(1),
                    select,
                    parameters))
        .orElse(Long.MAX_VALUE);
  }

  private static Map<String, Long> counted(Statements sql) throws SQLException {
    Map<String, Long> counted = new HashMap<>();
    sql.list(row -> Map.entry(row.getString(1), row.getLong(2)), "select name, n from counters")
        .forEach(entry -> counted.put(entry.getKey(), entry.getValue()));
    return counted;
  }

  private boolean rows(Walk events, Walk replies) throws StoreException {
    int mended = 0;
    for (long seq : events.unsound) {
      mended += engine.call(tx -> mendEvent(tx, seq));
    }
    for (long seq : replies.unsound) {
      mended += engine.call(tx -> mendReply(tx, seq));
    }
    if (mended > 0) {
      engine
          .repairs()
          .add(What.ROW, mended, mended + " rows contradicted themselves and were put right");
    }
    return mended > 0;
  }

  private static int mendEvent(Transaction tx, long seq) throws SQLException {
    Optional<OpenEvent> found =
        tx.sql()
            .first(
                Reconciliation::event,
                "select seq, state, closed, damaged, outcome, '', 1 from events where seq = ?",
                seq);
    if (found.isEmpty() || found.get().isSound() || found.get().isConsistentlyOver()) {
      return 0; // it has moved on since
    }
    OpenEvent event = found.get();
    return event.isOver()
        ? tx.sql()
            .update("update events set state = ?, closed = 1 where seq = ?", event.endState(), seq)
        : tx.sql()
            .update(
                "update events set state = ?, closed = 0, damaged = 0 where seq = ?",
                event.openState(),
                seq);
  }

  private static int mendReply(Transaction tx, long seq) throws SQLException {
    int shown =
        tx.sql()
            .update(
                "update replies set damaged = 0 where seq = ? and damaged <> 0 and "
                    + ReplyState.OPEN,
                seq);
    int planned =
        tx.sql()
            .update(
                "update replies set state = 0 where seq = ? and damaged = 0 and " + NEVER_TRIED,
                seq);
    return Math.max(shown, planned);
  }

  private boolean indexes(long hidden) throws StoreException {
    if (hidden == 0) {
      return false;
    }
    engine.<Boolean>call(
        tx -> {
          for (String table : List.of("events", "replies", "threads")) {
            tx.sql().update("reindex " + table);
          }
          return true;
        });
    engine
        .repairs()
        .add(
            What.INDEX,
            hidden,
            hidden + " open events and replies stood in no index; the indexes were made anew");
    return true;
  }

  /** Holds the counters against the rows, all of one moment. */
  private boolean isCountedRight(Statements sql) throws SQLException {
    Map<String, Long> counted = counted(sql);
    Map<Integer, Long> open = new HashMap<>();
    sql.list(row -> Map.entry(row.getInt(1), row.getLong(2)), OPEN_EVENTS)
        .forEach(entry -> open.put(entry.getKey(), entry.getValue()));
    long openReplies = sql.first(row -> row.getLong(1), OPEN_REPLIES).orElse(0L);
    long sum = 0;
    for (EventState state : EventState.values()) {
      long n = counted.getOrDefault(MessageCounters.of(state).name(), 0L);
      sum += n;
      if (state.isOpen() && n != open.getOrDefault(state.code(), 0L)) {
        return false;
      }
    }
    return sum == counted.getOrDefault(MessageCounters.ACCEPTED.name(), 0L)
        && openReplies == counted.getOrDefault(MessageCounters.OPEN_REPLIES.name(), 0L);
  }

  /** Only when they differ: then all that is open is counted anew by the writer. */
  private boolean counts() throws StoreException {
    if (engine.read(this::isCountedRight)) {
      return false;
    }
    Map<Counter, Long> right = new LinkedHashMap<>();
    int changed =
        engine.call(
            tx -> {
              right.clear();
              for (EventState state : EventState.values()) {
                if (state.isOpen()) {
                  right.put(
                      MessageCounters.of(state),
                      count(
                          tx,
                          "select count(*) from events where closed = 0 and state = ?",
                          state.code()));
                }
              }
              right.put(
                  MessageCounters.OPEN_REPLIES,
                  count(tx, "select count(*) from replies where " + ReplyState.OPEN));
              return MessageCounters.set(tx, right) + MessageCounters.balance(tx);
            });
    if (changed > 0) {
      engine
          .repairs()
          .add(What.COUNT, changed, changed + " counts were wrong and were counted again");
    }
    return changed > 0;
  }

  private static long count(Transaction tx, String select, Object... parameters)
      throws SQLException {
    return tx.sql().first(row -> row.getLong(1), select, parameters).orElse(0L);
  }

  private static OpenEvent event(ResultSet row) throws SQLException {
    return new OpenEvent(
        row.getLong(1),
        row.getInt(2),
        row.getInt(3),
        row.getInt(4),
        row.getInt(5),
        String.valueOf(row.getString(6)),
        row.getInt(7) != 0);
  }

  private static OpenReply reply(ResultSet row) throws SQLException {
    return new OpenReply(row.getLong(1), row.getInt(2), row.getInt(3), row.getInt(4) != 0);
  }
}
