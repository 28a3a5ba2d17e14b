package dev.holdfast.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Shows what a configuration came to. */
final class EffectiveConfig {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_/][A-Za-z0-9_./:@*-]*");
  private static final Set<String> WORDS =
      Set.of("true", "false", "yes", "no", "on", "off", "null", "y", "n");

  private EffectiveConfig() {}

  static Map<String, Object> tree(Section section, Secrets secrets) {
    Map<String, Object> tree = new LinkedHashMap<>();
    section.values().forEach((key, value) -> tree.put(key, plain(value, secrets)));
    return tree;
  }

  static String yaml(Section root, Secrets secrets) {
    StringBuilder out = new StringBuilder();
    write(root.values(), root, 0, new Target(out, secrets));
    return out.toString();
  }

  private record Target(StringBuilder out, Secrets secrets) {}

  private static Object plain(Object value, Secrets secrets) {
    return switch (value) {
      case Section section -> tree(section, secrets);
      case List<?> list -> {
        List<Object> shown = list.stream().map(item -> plain(item, secrets)).toList();
        yield shown.stream().allMatch(String.class::isInstance)
            ? MaskedText.of(shown.stream().map(String.class::cast).toList())
            : shown;
      }
      case Map<?, ?> map -> {
        Map<String, Object> copy = new LinkedHashMap<>();
        map.forEach((key, item) -> copy.put(String.valueOf(key), plain(item, secrets)));
        yield copy;
      }
      case Secret secret -> secret.toString();
      case String text -> MaskedText.of(secrets.redact(text));
      default -> value;
    };
  }

  private static void write(Map<?, ?> values, @Nullable Section section, int depth, Target target) {
    values.forEach(
        (name, value) -> {
          String key = String.valueOf(name);
          String head = "  ".repeat(depth) + scalar(key) + ":";
          switch (value) {
            case Section child when !child.values().isEmpty() -> {
              target.out().append(head).append('\n');
              write(child.values(), child, depth + 1, target);
            }
            case Map<?, ?> map when !map.isEmpty() -> {
              target.out().append(head).append('\n');
              write(map, null, depth + 1, target);
            }
            case null -> throw new IllegalStateException(key);
            default -> {
              String line =
                  section != null && section.given().contains(key)
                      ? "  # line " + section.lineOf(key)
                      : "";
              target
                  .out()
                  .append(head)
                  .append(' ')
                  .append(inline(plain(value, target.secrets())))
                  .append(line)
                  .append('\n');
            }
          }
        });
  }

  private static String inline(Object value) {
    return switch (value) {
      case List<?> list ->
          "[" + String.join(", ", list.stream().map(EffectiveConfig::inline).toList()) + "]";
      case Map<?, ?> map ->
          "{"
              + String.join(
                  ", ",
                  map.entrySet().stream()
                      .map(entry -> scalar(entry.getKey()) + ": " + inline(entry.getValue()))
                      .toList())
              + "}";
      default -> scalar(value);
    };
  }

  private static String scalar(Object value) {
    if (!(value instanceof String text)) {
      return String.valueOf(value);
    }
    if (PLAIN.matcher(text).matches() && !WORDS.contains(text) && !text.endsWith(":")) {
      return text;
    }
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }
}
