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
  /** What lies deeper is shown as JSON in one line. */
  private static final int LEVELS_MAX = 6;

  /**
   * Makes one.
   *
   * @param kind what sort of thing it is, for example the name of a tool
   * @param input what exactly is to be done: an object of JSON
   */
  static PermissionRequest of(String kind, String title, Map<String, Object> input) {
    return new PermissionRequest(
        title, detail(input), hash(JsonText.write(List.of(kind, ordered(input)))));
  }

  private static String detail(Map<String, Object> input) {
    StringBuilder text = new StringBuilder();
    input.forEach((name, value) -> show(text, 0, oneLine(name) + ":", value));
    return text.toString().strip();
  }

  /** Lines of a text get a bar, so that they cannot be taken for further members. */
  private static void show(StringBuilder text, int level, String label, @Nullable Object value) {
    String indent = "  ".repeat(level);
    text.append(indent).append(label);
    switch (value) {
      case String plain when plain.contains("\n") ->
          text.append("\n")
              .append(indent)
              .append("  | ")
              .append(plain.replace("\n", "\n" + indent + "  | "));
      case String plain -> text.append(' ').append(plain);
      case Map<?, ?> map when !map.isEmpty() && level < LEVELS_MAX -> {
        text.append('\n');
        map.forEach((name, each) -> show(text, level + 1, oneLine(name) + ":", each));
        return;
      }
      case List<?> list when !list.isEmpty() && level < LEVELS_MAX -> {
        text.append('\n');
        list.forEach(each -> show(text, level + 1, "-", each));
        return;
      }
      case null -> text.append(" null");
      default -> text.append(' ').append(JsonText.write(value));
    }
    text.append('\n');
  }

  private static String oneLine(@Nullable Object name) {
    return String.valueOf(name).replace("\n", "\\n");
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
