package dev.holdfast.store.ledgers;

import java.time.Instant;

/**
 * A question to a person: may this call run?
 *
 * @param id of ours, UUIDv7
 * @param code short, for people to type; unique among those that wait in one thread
 * @param key the call it is bound to
 * @param argumentsHash SHA-256 of the exact arguments it is bound to
 * @param shown what the call would do, in words without secrets
 * @param person who must answer: the platform's id of the sender
 * @param decidedBy who answered, such as {@code person:ann} or {@code token:operator}; empty while
 *     nobody has
 * @param arguments the exact arguments, without secrets
 */
public record Approval(
    String id,
    String code,
    String eventId,
    String threadId,
    String key,
    String tool,
    String argumentsHash,
    String shown,
    String person,
    State state,
    Instant askedAt,
    Instant expiresAt,
    String decidedBy,
    String arguments) {

  /** Where it stands at a moment: one whose time is over does not wait, whatever its row says. */
  public State stateAt(Instant now) {
    return state == State.WAITING && !now.isBefore(expiresAt) ? State.EXPIRED : state;
  }

  /** APPROVED is used once, then it is USED. */
  public enum State {
    WAITING,
    APPROVED,
    DENIED,
    EXPIRED,
    USED
  }
}
