package dev.holdfast.store.threads;

import java.time.Instant;

/**
 * One line of {@code context.jsonl}.
 *
 * @param type for example {@code user}, {@code assistant}, {@code tool_result}; the store does not
 *     interpret it
 * @param eventId the event whose turn wrote it
 * @param json the whole entry, one JSON object with {@code type}, {@code id}, {@code at}, {@code
 *     event} and more
 */
public record ContextEntry(String type, String id, String eventId, Instant at, String json) {}
