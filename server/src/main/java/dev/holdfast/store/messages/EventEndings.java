package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.EventRows.Standing;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How events end: by their turn, and afterwards by the fate of their replies. Used on the writer's
 * thread alone.
 */
final class EventEndings {
  private final ReplyRows replies;
  private final DeadLetterRows letters;
  private final List<EventLedger> ledgers;

  EventEndings(ReplyRows replies, DeadLetterRows letters, List<EventLedger> ledgers) {
    this.replies = replies;
    this.letters = letters;
    this.ledgers = ledgers;
  }

  /** Returns which of the events it ended: those that were open. */
  Set<Long> finish(Transaction tx, Finish finish) throws SQLException {
    Set<Long> ended = new HashSet<>();
    for (long seq : finish.seqs()) {
      Optional<Standing> event =
          EventRows.standing(tx, seq).filter(found -> found.state().isOpen());
      if (event.isPresent()) {
        ended.add(seq);
        end(tx, event.get(), finish);
      }
    }
    if (ended.isEmpty()) {
      return ended; // the same finish, told twice, or somebody else was first
    }
    for (NewReply reply : finish.replies()) {
      replies.plan(tx, reply, true);
    }
    for (StoryLine line : finish.story()) {
      Stories.insert(tx, line);
    }
    return ended;
  }

  private void end(Transaction tx, Standing event, Finish finish) throws SQLException {
    EventRows.change(
        tx,
        event,
        finish.outcome(),
        "outcome = ?, reason = ?, ",
        finish.outcome().code(),
        finish.reason());
    if (finish.outcome() == EventState.DEAD_LETTERED) {
      letters.ofEvent(tx, event.seq(), finish.reason());
    }
    if (finish.outcome() == EventState.DEAD_LETTERED || finish.outcome() == EventState.CANCELLED) {
      for (EventLedger ledger : ledgers) {
        ledger.unanswered(tx, event.seq());
      }
    }
  }

  /**
   * What an event's replies make of its end: dead-lettered by a rejected one, held by a held one,
   * else what its turn said. Replies that were planned outside of the end, such as a notice, change
   * nothing.
   */
  void judge(Transaction tx, String eventId) throws SQLException {
    Optional<Standing> found = EventRows.standing(tx, eventId);
    if (found.isEmpty() || found.get().state().isOpen()) {
      return;
    }
    Standing event = found.get();
    if (replies.anyEnding(tx, eventId, ReplyState.REJECTED)) {
      EventRows.move(tx, event, EventState.DEAD_LETTERED);
    } else if (replies.anyEnding(tx, eventId, ReplyState.HELD)) {
      EventRows.move(
          tx,
          event,
          event.outcome() == EventState.DEAD_LETTERED ? event.outcome() : EventState.HELD);
    } else {
      EventRows.move(tx, event, event.outcome());
    }
  }
}
