package dev.holdfast.discord;

import dev.holdfast.kit.JsonText;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Discord's ids, which grow with the time at which they were made. */
final class Snowflake {
  private static final long EPOCH = 1_420_070_400_000L;
  private static final int TIME_SHIFT = 22;

  private Snowflake() {}

  /** The least id of a time. */
  static long at(Instant time) {
    return Math.max(0, time.toEpochMilli() - EPOCH) << TIME_SHIFT;
  }

  /** {@code id}: digits; 0 when they are too many. */
  static long number(String id) {
    try {
      return Long.parseLong(id);
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  /** The greatest id of the messages, or the one before when there is none above it. */
  static String last(List<Map<String, Object>> messages, String before) {
    long last = number(before);
    for (Map<String, Object> message : messages) {
      last = Math.max(last, number(JsonText.id(message, "id")));
    }
    return Long.toString(last);
  }
}
