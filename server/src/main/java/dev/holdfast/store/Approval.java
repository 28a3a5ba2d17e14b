package dev.holdfast.store;

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
 * @param decidedBy who answered; empty while nobody has
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
    String decidedBy) {

  /** APPROVED is used once, then it is USED. */
  public enum State {
    WAITING,
    APPROVED,
    DENIED,
    EXPIRED,
    USED
  }
}
