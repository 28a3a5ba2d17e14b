package dev.holdfast.kit.testing;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A request as it was read from the wire.
 *
 * @param headers by lower-case name; of repeated ones the last
 * @param atNanos when its last byte had come, by {@link System#nanoTime()}
 */
public record WireRequest(
    String method, String path, Map<String, String> headers, Body body, long atNanos) {
  public String header(String name) {
    return headers.getOrDefault(name, "");
  }

  public String text() {
    return new String(body.bytes(), StandardCharsets.UTF_8);
  }

  /** The body's bytes; a class of its own because a record must not hold a bare array. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Body(byte[] bytes) {}
}
