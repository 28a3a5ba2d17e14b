package dev.holdfast.discord;

import java.util.Map;

/** What is answered to an interaction at once. */
final class DeferredAnswer {
  static final int PONG = 1;
  private static final int MESSAGE = 4;
  private static final int THINKING = 5;

  /** The post with the button changes later, or not at all. */
  static final Map<String, Object> UPDATE = Map.of("type", 6);

  private DeferredAnswer() {}

  /** A reply will come. */
  static Map<String, Object> thinking(Deferred deferred) {
    return deferred.isPrivate()
        ? Map.of("type", THINKING, "data", Map.of("flags", DiscordBot.EPHEMERAL))
        : Map.of("type", THINKING);
  }

  /** A sentence for that person alone. */
  static Map<String, Object> saying(String text) {
    return Map.of("type", MESSAGE, "data", DiscordBot.whisper(text));
  }
}
