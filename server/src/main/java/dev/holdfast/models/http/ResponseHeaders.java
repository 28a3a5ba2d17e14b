package dev.holdfast.models.http;

import java.util.List;
import java.util.Map;

/** The headers of an answer; names in lower case. */
final class ResponseHeaders {
  private ResponseHeaders() {}

  /** Empty when there is none. */
  static String first(Map<String, List<String>> headers, String name) {
    return headers.getOrDefault(name, List.of()).stream().findFirst().orElse("").strip();
  }
}
