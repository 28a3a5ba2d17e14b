package dev.holdfast.store;

import java.time.Instant;

/**
 * An event to accept.
 *
 * @param source where it came in, {@code channel:account}; the dedupe key is unique within it
 * @param threadId the key of order: events of one thread are handed out one after the other
 * @param dedupeKey the sender's own id of the event
 * @param payload opaque to the store
 */
public record NewEvent(
    String source, String threadId, String dedupeKey, String payload, Instant receivedAt) {}
