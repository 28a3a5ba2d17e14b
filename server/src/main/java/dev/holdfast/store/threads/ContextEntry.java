package dev.holdfast.store.threads;

import java.time.Instant;

/**
 * One line of {@code context.jsonl}.
 *
 * @param type for example {@code user}, {@code assistant}, {@code tool_result}; the store does not
 *     interpret it, and writes {@link #LOST} itself
 * @param eventId the event whose turn wrote it
 * @param json the whole entry, one JSON object with {@code type}, {@code id}, {@code at}, {@code
 *     event} and more
 */
public record ContextEntry(String type, String id, String eventId, Instant at, String json) {
  /** Stands where lines were damaged and set aside, one for all that stood together. */
  public static final String LOST = "lost";

  static ContextEntry lost(Instant at) {
    String json =
        "{\"type\":\"%s\",\"id\":\"%s\",\"event\":\"\",\"at\":\"%s\"}".formatted(LOST, LOST, at);
    return new ContextEntry(LOST, LOST, "", at, json);
  }

  /** Whether it stands for what was set aside. */
  public boolean isLost() {
    return type.equals(LOST);
  }
}
