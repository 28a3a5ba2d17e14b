package dev.holdfast.store.messages;

import java.time.Instant;

/**
 * An accepted event.
 *
 * @param seq grows with each event: the order of acceptance
 * @param id UUIDv7, what people and other systems call it by
 * @param attempts how often a run of it was started
 * @param told whether its sender was told that the answer comes later
 * @param replays how often it came back from the dead letters
 */
public record Event(
    long seq,
    String id,
    String source,
    String threadId,
    String dedupeKey,
    String payload,
    Instant receivedAt,
    EventState state,
    int attempts,
    boolean told,
    int replays) {}
