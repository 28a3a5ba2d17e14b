package dev.holdfast.codingagent;

import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Something that a coding agent wants to be allowed to do.
 *
 * @param title in a few words
 * @param detail all of it, as a person reads it
 * @param hash of exactly that: what is asked again has the same
 */
record PermissionRequest(String title, String detail, String hash) {

  /**
   * Makes one.
   *
   * @param kind what sort of thing it is, for example the name of a tool
   * @param input what exactly is to be done: a value of JSON
   */
  static PermissionRequest of(String kind, String title, Object input) {
    return new PermissionRequest(
        title, detail(input), hash(JsonText.write(List.of(kind, ordered(input)))));
  }

  private static String detail(Object input) {
    if (input instanceof Map<?, ?> map) {
      StringBuilder text = new StringBuilder();
      map.forEach(
          (name, value) -> text.append(name).append(": ").append(plain(value)).append('\n'));
      return text.toString().strip();
    }
    return plain(input);
  }

  private static String plain(@Nullable Object value) {
    return value instanceof String text ? text : JsonText.write(value == null ? "" : value);
  }

  /** The same whatever the order in which an agent names the parts. */
  private static Object ordered(@Nullable Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        Map<String, Object> all = new TreeMap<>();
        map.forEach((name, each) -> all.put(String.valueOf(name), ordered(each)));
        yield all;
      }
      case List<?> list -> list.stream().map(PermissionRequest::ordered).toList();
      case null -> JsonText.NULL;
      default -> value;
    };
  }

  static String hash(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
