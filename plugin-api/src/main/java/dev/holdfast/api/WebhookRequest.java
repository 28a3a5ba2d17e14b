package dev.holdfast.api;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A request as it came from a platform, before anything is believed.
 *
 * @param account from the path; empty when the path names none
 * @param headers by lower-case name, every value in the order it came
 * @param body the raw bytes, within the configured limit; not to be changed
 * @param receivedAt the server's clock, for windows of signatures
 */
@SuppressWarnings(
    "ArrayRecordComponent") // the bytes as they came: copying a megabyte per request helps nobody
public record WebhookRequest(
    String method,
    String account,
    Map<String, List<String>> headers,
    Map<String, List<String>> query,
    byte[] body,
    Instant receivedAt) {}
