package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.EventRows.Standing;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes rows out of service whose bytes have changed: kept as dead letters, counted, never served.
 * Thread-safe.
 */
final class Quarantine {
  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);
  private static final String REASON = "damaged on disk: its checksum does not match";

  private final Engine engine;
  private final DeadLetterRows letters;
  private final EventEndings endings;

  Quarantine(Engine engine, DeadLetterRows letters, EventEndings endings) {
    this.engine = engine;
    this.letters = letters;
    this.endings = endings;
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
          LOG.error("event {}: {}, moved to the dead letters", seq, REASON);
          tx.count(MessageCounters.QUARANTINED, 1);
          Optional<Standing> event = EventRows.standing(tx, seq);
          tx.sql().update("update events set damaged = 1, reason = ? where seq = ?", REASON, seq);
          if (event.isPresent() && event.get().state().isOpen()) {
            EventRows.move(tx, event.get(), EventState.DEAD_LETTERED);
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
          LOG.error("reply {}: {}, moved to the dead letters", seq, REASON);
          tx.count(MessageCounters.QUARANTINED, 1);
          Optional<ReplyRows.Standing> reply = ReplyRows.standing(tx, seq);
          tx.sql().update("update replies set damaged = 1 where seq = ?", seq);
          if (reply.isPresent() && reply.get().state().isOpen()) {
            ReplyRows.move(tx, reply.get(), ReplyState.REJECTED, REASON);
            letters.ofReply(tx, seq, REASON);
            endings.judge(tx, reply.get().eventId());
          }
          return true;
        });
  }
}
