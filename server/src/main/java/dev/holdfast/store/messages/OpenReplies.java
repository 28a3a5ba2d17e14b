package dev.holdfast.store.messages;

import java.time.Instant;

/**
 * Replies that were not posted yet.
 *
 * @param oldest when the oldest one was planned; the beginning of time when there is none
 */
public record OpenReplies(long count, Instant oldest) {}
