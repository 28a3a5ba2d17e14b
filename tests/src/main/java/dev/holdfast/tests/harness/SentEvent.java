package dev.holdfast.tests.harness;

/**
 * One event of the load.
 *
 * @param id its {@code webhook-id}
 * @param token stands in its text and nowhere else
 * @param number its place in its chat thread, from 0
 * @param acked whether a 2xx came for it
 * @param tries how often it was sent
 */
public record SentEvent(
    String id, String thread, String token, int number, boolean acked, int tries) {}
