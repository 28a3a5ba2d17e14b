package dev.holdfast.nats;

import java.time.Instant;
import java.util.Map;

/**
 * A message as a stream holds it.
 *
 * @param headers the first value of each
 * @param at when the stream took it; with the sequence it stays the same for each delivery
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
record StreamMessage(
    String stream,
    long sequence,
    Instant at,
    String subject,
    Map<String, String> headers,
    byte[] body) {}
