package dev.holdfast.bus;

import java.time.Instant;

/**
 * An event that was given up.
 *
 * @param number grows with each event that is given up
 * @param payload the CloudEvent as JSON
 * @param attempts how often NATS refused it
 * @param happenedAt when what it tells happened
 * @param at when it was given up
 */
public record BusLetter(
    long number,
    String id,
    String subject,
    String threadId,
    String payload,
    String reason,
    int attempts,
    Instant happenedAt,
    Instant at) {}
