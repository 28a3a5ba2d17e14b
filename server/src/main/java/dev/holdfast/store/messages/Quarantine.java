package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.EventRows.Standing;
import dev.holdfast.time.Time;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes rows out of service whose bytes have changed: marked, counted, never served. What was open
 * becomes a dead letter; what had ended is told as damaged in its event's story. Thread-safe.
 */
final class Quarantine {
  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);
  private static final String REASON = "damaged on disk: its checksum does not match";
  private static final int NAMED_MAX = 100;

  private final Engine engine;
  private final DeadLetterRows letters;
  private final EventEndings endings;
  private final Time time;
  private volatile Consumer<DamagedRow> listener = _ -> {};

  Quarantine(Engine engine, DeadLetterRows letters, EventEndings endings, Time time) {
    this.time = time;
    this.engine = engine;
    this.letters = letters;
    this.endings = endings;
  }

  /** On the writer's thread, after the commit: hand over and return. */
  void onDamaged(Consumer<DamagedRow> hear) {
    listener = hear;
  }

  /** At a start: counts the damaged rows that are kept and names the events that they belong to. */
  static void recover(Transaction tx) throws SQLException {
    if (tx.counted(MessageCounters.QUARANTINED) == 0) {
      return; // spares every whole store a look at all rows
    }
    List<String> ids =
        tx.sql()
            .list(
                row -> row.getString(1),
                "select id from events where damaged <> 0"
                    + " union all select event_id from replies where damaged <> 0");
    MessageCounters.set(tx, Map.of(MessageCounters.DAMAGED, (long) ids.size()));
    if (!ids.isEmpty()) {
      LOG.warn(
          "store: damaged rows that are kept: {}; see holdfast trace ID of {}",
          ids.size(),
          ids.stream().distinct().limit(NAMED_MAX).toList());
    }
  }

  /** How many damaged rows an event has, with its replies. */
  static long damaged(Transaction tx, long seq, String eventId) throws SQLException {
    return tx.counted(MessageCounters.DAMAGED) == 0
        ? 0
        : tx.sql()
            .first(
                row -> row.getLong(1),
                "select (select count(*) from events where seq = ? and damaged <> 0)"
                    + " + (select count(*) from replies where event_id = ? and damaged <> 0)",
                seq,
                eventId)
            .orElse(0L);
  }

  /** The event; empty when its row is bad, which is then put away. */
  Optional<Event> whole(EventRows.Found found) {
    return switch (found) {
      case EventRows.Found.Whole(Event event) -> Optional.of(event);
      case EventRows.Found.Bad(long seq) -> {
        event(seq);
        yield Optional.empty();
      }
    };
  }

  /** As for an event. */
  Optional<Reply> whole(ReplyRows.Found found) {
    return switch (found) {
      case ReplyRows.Found.Whole(Reply reply) -> Optional.of(reply);
      case ReplyRows.Found.Bad(long seq) -> {
        reply(seq);
        yield Optional.empty();
      }
    };
  }

  /** Looks again and, if the row is still bad, puts it away with the next commit. Does not wait. */
  private void event(long seq) {
    engine.later(
        tx -> {
          if (!stillBadEvent(tx, seq)) {
            return false;
          }
          Optional<Standing> event = EventRows.standing(tx, seq);
          boolean isOpen = event.filter(found -> found.state().isOpen()).isPresent();
          String id = text(tx, "select id from events where seq = ?", seq);
          tx.sql().update("update events set damaged = 1, reason = ? where seq = ?", REASON, seq);
          tell(tx, "event", id, isOpen);
          if (isOpen) {
            EventRows.move(tx, event.orElseThrow(), EventState.DEAD_LETTERED);
            letters.ofEvent(tx, seq, REASON);
          }
          return true;
        });
  }

  private static boolean stillBadEvent(Transaction tx, long seq) throws SQLException {
    List<EventRows.Found> found =
        tx.sql().list(EventRows::read, EventRows.SELECT + "e.seq = ?", seq);
    return found.stream().anyMatch(EventRows.Found.Bad.class::isInstance);
  }

  /** As for an event; an open reply counts as rejected. */
  private void reply(long seq) {
    engine.later(
        tx -> {
          List<ReplyRows.Found> found =
              tx.sql().list(ReplyRows::read, ReplyRows.SELECT + "r.seq = ?", seq);
          if (found.stream().noneMatch(ReplyRows.Found.Bad.class::isInstance)) {
            return false;
          }
          Optional<ReplyRows.Standing> reply = ReplyRows.standing(tx, seq);
          boolean isOpen = reply.filter(known -> known.state().isOpen()).isPresent();
          String id = text(tx, "select event_id from replies where seq = ?", seq);
          tx.sql().update("update replies set damaged = 1 where seq = ?", seq);
          tell(tx, "reply", id, isOpen);
          if (isOpen) {
            ReplyRows.move(tx, reply.orElseThrow(), ReplyState.REJECTED, REASON);
            letters.ofReply(tx, seq, REASON);
            endings.judge(tx, reply.orElseThrow().eventId());
          }
          return true;
        });
  }

  private static String text(Transaction tx, String select, long seq) throws SQLException {
    return tx.sql().first(row -> row.getString(1), select, seq).orElse("");
  }

  /** Counts a row, and says in the log and in the event's story what became of it. */
  private void tell(Transaction tx, String kind, String eventId, boolean isOpen)
      throws SQLException {
    LOG.error(
        "{} row of event {}: {}, {}",
        kind,
        eventId,
        REASON,
        isOpen
            ? "moved to the dead letters: holdfast dlq list"
            : "set aside and kept: holdfast trace " + eventId);
    tx.afterCommit(() -> listener.accept(new DamagedRow(kind, eventId, isOpen)));
    tx.count(MessageCounters.QUARANTINED, 1);
    tx.count(MessageCounters.DAMAGED, 1);
    Stories.insert(
        tx,
        new StoryLine(eventId, time.now(), kind + ".damaged", "{\"detail\":\"" + REASON + "\"}"));
  }
}
