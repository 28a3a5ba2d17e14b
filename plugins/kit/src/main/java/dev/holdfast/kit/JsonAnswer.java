package dev.holdfast.kit;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * What an HTTP API has answered.
 *
 * @param headers by lower-case name, every value in the order it came
 * @param raw the body as it came; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // copying a megabyte per answer helps nobody
public record JsonAnswer(int status, Map<String, List<String>> headers, byte[] raw) {
  public String text() {
    return new String(raw, StandardCharsets.UTF_8);
  }

  /** The body; an empty object when it is none, as the page of a proxy is. */
  public Map<String, Object> object() {
    try {
      return JsonText.object(text());
    } catch (IllegalArgumentException _) {
      return Map.of();
    }
  }

  /** Why the body is no object, without a word of it; empty when it is one. */
  public String flaw() {
    try {
      JsonText.object(text());
      return "";
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
