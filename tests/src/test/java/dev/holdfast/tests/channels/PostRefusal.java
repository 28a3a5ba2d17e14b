package dev.holdfast.tests.channels;

import java.time.Duration;
import java.util.Map;

/**
 * How a platform refuses a post.
 *
 * @param name tells it from others
 * @param asked how long it asks to wait; for one that is for good, zero
 * @param sentence what the operator is told of one that is for good; else empty
 */
record PostRefusal(
    String name,
    int status,
    Map<String, String> headers,
    String body,
    Duration asked,
    String sentence) {
  PostRefusal {
    headers = Map.copyOf(headers);
  }

  static PostRefusal limit(
      String name, int status, Map<String, String> headers, String body, Duration asked) {
    return new PostRefusal(name, status, headers, body, asked, "");
  }

  static PostRefusal lasting(String name, int status, String body, String sentence) {
    return new PostRefusal(name, status, Map.of(), body, Duration.ZERO, sentence);
  }
}
