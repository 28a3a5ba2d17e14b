package dev.holdfast.store.ledgers;

import java.time.Instant;
import java.util.Optional;

/**
 * What a click on a button means.
 *
 * @param question the one that it belongs to; empty when no question has such a button
 */
public record ClickVerdict(Meaning meaning, Optional<Approval> question) {

  /** APPROVED and DENIED change the question; all others change nothing. */
  public enum Meaning {
    APPROVED,
    DENIED,
    /** It was approved before, by whatever means. */
    ALREADY_APPROVED,
    /** It was denied before. */
    ALREADY_DENIED,
    /** Its time is over, it was withdrawn, or there is no such button. */
    CLOSED,
    /** By somebody else than the person who is asked, or from another chat thread. */
    NOT_THEIRS,
    /** By the person who is asked, who is not answered any more. */
    NOT_ALLOWED
  }

  static ClickVerdict of(
      Optional<Approval> asked, boolean approves, String threadId, String person, Instant now) {
    if (asked.isEmpty()) {
      return new ClickVerdict(Meaning.CLOSED, asked);
    }
    Approval question = asked.get();
    if (!question.person().equals(person) || !question.threadId().equals(threadId)) {
      return new ClickVerdict(Meaning.NOT_THEIRS, asked);
    }
    Meaning meaning =
        switch (question.stateAt(now)) {
          case WAITING -> approves ? Meaning.APPROVED : Meaning.DENIED;
          case APPROVED, USED -> Meaning.ALREADY_APPROVED;
          case DENIED -> Meaning.ALREADY_DENIED;
          case EXPIRED -> Meaning.CLOSED;
        };
    return new ClickVerdict(meaning, asked);
  }

  /** Whether it changes the question. */
  public boolean decides() {
    return meaning == Meaning.APPROVED || meaning == Meaning.DENIED;
  }

  /** What the question becomes when the click decides it. */
  public Approval.State state() {
    return meaning == Meaning.APPROVED ? Approval.State.APPROVED : Approval.State.DENIED;
  }
}
