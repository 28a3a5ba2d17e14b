package dev.holdfast.agents.thread;

import java.time.Instant;

/**
 * An active chat thread. {@code doing}: idle, queued, or what the running turn does; since when.
 */
public record ThreadView(
    String threadId, String doing, Instant since, int waiting, String eventId) {}
