package dev.holdfast.store.messages;

import java.time.Instant;

/**
 * Work that was given up, kept whole.
 *
 * @param kind {@code event} or {@code reply}
 * @param payload what was given up: the event's payload, or the reply's text
 */
public record DeadLetter(
    String id,
    String kind,
    String eventId,
    String dedupeKey,
    String threadId,
    String reason,
    String payload,
    int attempts,
    Instant at) {}
