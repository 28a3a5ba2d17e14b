package dev.holdfast.access;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.Approvals;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.Inbox;
import java.util.Optional;

/**
 * Whether those who were asked something may still decide it: whoever was removed from the allowed
 * people since may not, though a click is no message that would be judged. Thread-safe; blocks for
 * reads of the store.
 */
public final class AskedPeople {
  private final Approvals approvals;
  private final Inbox inbox;
  private final AccessJudge judge;

  public AskedPeople(Approvals approvals, Inbox inbox, AccessJudge judge) {
    this.approvals = approvals;
    this.inbox = inbox;
    this.judge = judge;
  }

  /**
   * Whether the message that the question came from would be let in now. True of buttons that are
   * not this person's: what they mean is decided elsewhere.
   *
   * @param token of the button, as it came
   */
  public boolean mayDecide(String threadId, String person, String token) {
    return approvals
        .ofButton(token)
        .filter(asked -> asked.person().equals(person) && asked.threadId().equals(threadId))
        .map(this::mayDecide)
        .orElse(true);
  }

  private boolean mayDecide(Approval asked) {
    Optional<Event> event = inbox.find(asked.eventId());
    if (event.isEmpty()) {
      return true; // its question is over
    }
    InboundMessage message = InboundPayload.read(event.get().payload());
    // A wake-up is nobody's message, and says nothing of where it was set.
    return !message.sender().equals(asked.person())
        || judge.stillLetsIn(channel(event.get().source()), message);
  }

  private static String channel(String source) {
    return source.substring(0, source.indexOf(':'));
  }
}
