package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Count;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.engine.Writer;
import dev.holdfast.store.messages.EventRows.Standing;
import dev.holdfast.time.Time;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes rows out of service whose bytes have changed: kept as dead letters, counted, never served.
 * Thread-safe.
 */
public final class Quarantine {
  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);
  private static final String REASON = "damaged on disk: its checksum does not match";

  private final Writer writer;
  private final DeadLetterRows letters;
  private final EventEndings endings;
  private final Time time;

  public Quarantine(Writer writer, DeadLetterRows letters, EventEndings endings, Time time) {
    this.writer = writer;
    this.letters = letters;
    this.endings = endings;
    this.time = time;
  }

  /** Looks again and, if the row is still bad, puts it away with the next commit. Does not wait. */
  void event(long seq) {
    writer.later(
        tx -> {
          if (!stillBadEvent(tx, seq)) {
            return false;
          }
          LOG.error("event {}: {}, moved to the dead letters", seq, REASON);
          tx.count(Count.QUARANTINED, 1);
          Optional<Standing> event = EventRows.standing(tx, seq);
          tx.sql().update("update events set damaged = 1, reason = ? where seq = ?", REASON, seq);
          if (event.isPresent() && event.get().state().isOpen()) {
            EventRows.move(tx, event.get(), EventState.DEAD_LETTERED);
            letters.ofEvent(tx, seq, REASON, time.now());
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
  void reply(long seq) {
    writer.later(
        tx -> {
          List<ReplyRows.Found> found =
              tx.sql().list(ReplyRows::read, ReplyRows.SELECT + "r.seq = ?", seq);
          if (found.stream().noneMatch(ReplyRows.Found.Bad.class::isInstance)) {
            return false;
          }
          LOG.error("reply {}: {}, moved to the dead letters", seq, REASON);
          tx.count(Count.QUARANTINED, 1);
          Optional<ReplyRows.Standing> reply = ReplyRows.standing(tx, seq);
          tx.sql().update("update replies set damaged = 1 where seq = ?", seq);
          if (reply.isPresent() && reply.get().state().isOpen()) {
            ReplyRows.move(tx, reply.get(), ReplyState.REJECTED, REASON);
            letters.ofReply(tx, seq, REASON, time.now());
            endings.judge(tx, reply.get().eventId());
          }
          return true;
        });
  }
}
