package dev.holdfast.store.messages;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.EventRows.Found;
import dev.holdfast.store.messages.EventRows.Standing;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The durable queue of accepted events. Thread-safe. */
public final class Inbox {
  /** Of the payloads of one page, in units of UTF-16; the last one may go beyond. */
  public static final long PAGE_UNITS_MAX = 4L * 1024 * 1024;

  private static final int SAME_START_MAX = 100;

  private final Engine engine;
  private final EventIntake intake;
  private final NumberedNames names;
  private final EventEndings endings;
  private final Quarantine quarantine;

  Inbox(
      Engine engine,
      EventIntake intake,
      NumberedNames names,
      EventEndings endings,
      Quarantine quarantine) {
    this.engine = engine;
    this.intake = intake;
    this.names = names;
    this.endings = endings;
    this.quarantine = quarantine;
  }

  /**
   * Accepts an event. Returns at once; the future completes on the writer's thread after the fsync
   * of the commit, or fails with a {@link StoreException} (OVERLOADED: too many pending, too little
   * disk or stopping; IO: the disk refused; INVALID_REQUEST: no sender may use that key), and then
   * nothing was accepted.
   */
  public CompletableFuture<Appended> append(NewEvent event) {
    return intake.append(event);
  }

  /** Whether an event is still wanted when its transaction begins. */
  public interface Wanted {
    boolean in(Transaction tx) throws SQLException;
  }

  /** What is written along with an event. */
  public interface Along {
    void with(Transaction tx, Event event) throws SQLException;
  }

  /**
   * Accepts an event of the server's own together with what belongs to it, in one transaction;
   * durable on return. False when it was not wanted any more. A key that is known makes no new
   * event, but {@code along} runs.
   *
   * @throws StoreException when nothing can be accepted now; nothing was written
   */
  public boolean appendWith(Wanted wanted, NewEvent event, Along along) throws StoreException {
    return intake.appendWith(wanted, event, along);
  }

  /**
   * Hears of each new event after its commit, in the order of the commits, on the writer's thread:
   * hand over and return.
   */
  public void onAccepted(Consumer<Event> listener) {
    intake.onAccepted(listener);
  }

  public Optional<Event> find(String id) {
    return engine
        .read(sql -> sql.first(EventRows::read, EventRows.SELECT + "e.id = ?", id))
        .flatMap(quarantine::whole);
  }

  /**
   * What is left, without the payload, of an event whose row is damaged; by the server's id of it
   * or the sender's own.
   */
  public Optional<Event> damaged(String id) {
    return engine.read(
        sql -> {
          Optional<Event> found =
              sql.first(EventRows::remains, EventRows.ANY_BY_ID, id).flatMap(event -> event);
          for (String source : names.sources()) {
            if (found.isEmpty()) {
              found =
                  sql.first(EventRows::remains, EventRows.ANY_BY_KEY, source, id)
                      .flatMap(event -> event);
            }
          }
          return found;
        });
  }

  /** The event by the sender's own id of it; several when more than one source knows that id. */
  public List<Event> findByDedupeKey(String dedupeKey) {
    return served(
        engine.read(
            sql -> {
              List<Found> found = new ArrayList<>();
              for (String source : names.sources()) {
                sql.first(EventRows::read, EventRows.BY_KEY, source, dedupeKey)
                    .ifPresent(found::add);
              }
              return found;
            }));
  }

  /** Whether an event of that key was accepted and is not forgotten yet: one read. */
  public boolean isKnown(String source, String dedupeKey) {
    return engine.read(
        sql ->
            sql.first(
                    row -> row.getInt(1),
                    "select 1 from events e where " + EventRows.KEY,
                    source,
                    dedupeKey)
                .isPresent());
  }

  /** The newest events of a source whose keys begin so. */
  public List<Event> findByKeyStart(String source, String start) {
    return list(
        "e.source = (select no from sources where source = ?)"
            + " and e.dedupe_key > ? and e.dedupe_key < ? order by e.seq desc limit ?",
        source,
        start,
        start + Character.toString(Character.MAX_CODE_POINT),
        SAME_START_MAX);
  }

  /**
   * Open events of one thread after {@code afterSeq}, oldest first. Fewer than {@code limit} when
   * they are large: the end of a list is a page without any.
   */
  public List<Event> openOf(String threadId, long afterSeq, int limit) {
    return list(
        "e.thread = (select no from threads where thread_id = ?) and e.closed = 0"
            + " and e.seq > ? order by e.seq limit ?",
        threadId,
        afterSeq,
        limit);
  }

  /**
   * As {@link #openOf}, without those whose payload has more than {@code bytesMax} in UTF-8: they
   * are not even read.
   */
  public List<Event> smallOpenOf(String threadId, long afterSeq, int bytesMax, int limit) {
    return list(
        "e.thread = (select no from threads where thread_id = ?) and e.closed = 0"
            + " and e.seq > ? and octet_length(p.payload) <= ? order by e.seq limit ?",
        threadId,
        afterSeq,
        bytesMax,
        limit);
  }

  /** Open events of all threads after {@code afterSeq}, oldest first; as {@link #openOf}. */
  public List<Event> open(long afterSeq, int limit) {
    return list("e.closed = 0 and e.seq > ? order by e.seq limit ?", afterSeq, limit);
  }

  /**
   * Whether an event with a number up to {@code upTo} waits whose last run was cut off by an
   * unclean stop.
   */
  public boolean isAnyInterrupted(long upTo) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getInt(1),
                    "select 1 from events where closed = 0 and damaged = 0 and state = ?"
                        + " and attempts > 0 and seq <= ? limit 1",
                    EventState.PENDING.code(),
                    upTo))
        .isPresent();
  }

  /** The newest events of a thread, whatever their state; newest first. */
  public List<Event> ofThread(String threadId, int limit) {
    String half =
        "e.thread = (select no from threads where thread_id = ?) and e.closed = %d"
            + " order by e.seq desc limit ?";
    return Stream.of(half.formatted(1), half.formatted(0))
        .flatMap(where -> list(where, threadId, limit).stream())
        .sorted(Comparator.comparingLong(Event::seq).reversed())
        .limit(limit)
        .toList();
  }

  private List<Event> list(String where, Object... parameters) {
    return served(
        engine.read(
            sql -> sql.page(new Enough(), EventRows::read, EventRows.SELECT + where, parameters)));
  }

  /** A thousand messages are a few hundred kilobytes, or as many gigabytes as fit into no heap. */
  private static final class Enough implements Predicate<Found> {
    private long units;

    @Override
    public boolean test(Found found) {
      units += found instanceof Found.Whole(Event event) ? event.payload().length() : 0;
      return units >= PAGE_UNITS_MAX;
    }
  }

  private List<Event> served(List<Found> found) {
    return found.stream().flatMap(row -> quarantine.whole(row).stream()).toList();
  }

  /**
   * Counts a run before it starts and marks the event as running; durable on return. Returns the
   * new number; one above {@code runsMax}, and counts nothing, when the event has had them all.
   *
   * @throws StoreException INVALID_REQUEST when the event is not open
   */
  public int start(long seq, int runsMax) throws StoreException {
    return engine.call(
        tx -> {
          Standing event = open(tx, seq);
          if (event.attempts() >= runsMax) {
            return event.attempts() + 1;
          }
          EventRows.change(tx, event, EventState.RUNNING, "attempts = attempts + 1, ");
          return event.attempts() + 1;
        });
  }

  /**
   * Ends a run without an end of the event: it waits for a dependency. The attempt is not held
   * against it.
   *
   * @param told whether its sender knows that the answer comes later
   * @throws StoreException INVALID_REQUEST when the event is not open
   */
  public void park(long seq, String reason, boolean told) throws StoreException {
    engine.<Boolean>call(
        tx -> {
          Standing event = open(tx, seq);
          EventRows.change(
              tx,
              event,
              EventState.PARKED,
              "reason = ?, told = max(told, ?), attempts = max(attempts - ?, 0), ",
              reason,
              told ? 1 : 0,
              uncounted(event));
          return true;
        });
  }

  /**
   * Back to pending, for example at a clean stop in the middle of a run: that run is not held
   * against the event.
   *
   * @throws StoreException INVALID_REQUEST when the event is not open
   */
  public void release(long seq) throws StoreException {
    engine.<Boolean>call(
        tx -> {
          Standing event = open(tx, seq);
          EventRows.change(
              tx, event, EventState.PENDING, "attempts = max(attempts - ?, 0), ", uncounted(event));
          return true;
        });
  }

  /** How many runs are not held against an event that goes back. */
  private static int uncounted(Standing event) {
    return event.state() == EventState.RUNNING ? 1 : 0;
  }

  private static Standing open(Transaction tx, long seq) throws SQLException, StoreException {
    return EventRows.standing(tx, seq)
        .filter(event -> event.state().isOpen())
        .orElseThrow(
            () ->
                new StoreException(
                    Failure.of(FailureCode.INVALID_REQUEST, "event " + seq + " is not open")));
  }

  /**
   * Ends events: their states, replies, story and dead letters in one transaction. Durable on
   * return. Events that have ended before, and replies that are known, stay as they are, so that a
   * finish can be repeated.
   *
   * @return which events it ended; none: nothing at all was written
   */
  public Set<Long> finish(Finish finish) throws StoreException {
    if (finish.outcome().isOpen()) {
      throw new IllegalArgumentException("not an end: " + finish.outcome());
    }
    return engine.call(tx -> endings.finish(tx, finish));
  }

  /** The number of the event that was accepted last; 0 when there is none. */
  public long newest() {
    return engine.counted(MessageCounters.ACCEPTED);
  }

  /** How far messages have come; from memory. */
  public MessageMark mark() {
    Map<Counter, Long> now = engine.counts();
    return new MessageMark(
        now.getOrDefault(MessageCounters.ACCEPTED, 0L),
        now.getOrDefault(MessageCounters.REPLIES, 0L));
  }

  /** What has become by now of the events that were accepted between the two. */
  public EventFates fates(MessageMark after, MessageMark upTo) {
    return engine.read(sql -> EventFates.read(sql, after, upTo));
  }

  /**
   * Events by state, from memory; the sum is all that was ever accepted. Under the key "accepted"
   * that number itself.
   */
  public Map<String, Long> counts() {
    Map<Counter, Long> now = engine.counts();
    Map<String, Long> counts = new LinkedHashMap<>();
    for (EventState state : EventState.values()) {
      counts.put(state.label(), now.getOrDefault(MessageCounters.of(state), 0L));
    }
    counts.put("accepted", now.getOrDefault(MessageCounters.ACCEPTED, 0L));
    return counts;
  }
}
