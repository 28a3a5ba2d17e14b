package dev.holdfast.store.messages;

import java.time.Instant;

/**
 * One thing that happened to an event.
 *
 * @param what a dotted word, for example {@code turn.started}
 * @param json the details, a JSON object without secrets
 */
public record StoryLine(String eventId, Instant at, String what, String json) {}
