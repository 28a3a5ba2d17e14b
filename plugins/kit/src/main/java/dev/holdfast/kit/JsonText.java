package dev.holdfast.kit;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonNull;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON. Objects are maps, arrays are lists, whole numbers are longs, other numbers
 * doubles, and null is {@link #NULL}. Thread-safe.
 */
public final class JsonText {
  /** What null is read as. */
  public static final Object NULL = JsonNull.INSTANCE;

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  /** What may well be an object has too much in it. */
  public static final class TooLargeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    TooLargeException(String message) {
      super(message);
    }
  }

  private JsonText() {}

  /**
   * Reads one object. Objects and arrays below the 200th level are read as {@link #NULL}, and so
   * are {@code NaN} and numbers that are infinite, have more than 1,000 digits or are written as
   * JSON does not allow. In texts, half of a surrogate pair and what follows a wrong backslash is
   * read as U+FFFD, and control characters as they stand there.
   *
   * @throws TooLargeException when it has more than 100,000 values, or is nested more than 150,000
   *     levels deep; what comes after that is not looked at
   * @throws IllegalArgumentException when it is none; its message says why, and nothing of the text
   */
  public static Map<String, Object> object(String text) {
    return new JsonParser(text).object();
  }

  /** A member that is an object; an empty one when it is none. */
  public static Map<String, Object> map(Map<String, Object> object, String key) {
    return asMap(object.get(key));
  }

  private static Map<String, Object> asMap(@Nullable Object value) {
    Map<String, Object> found = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, member) -> found.put(String.valueOf(name), member));
    }
    return found;
  }

  /** A member that is a text; empty when it is none. */
  public static String text(Map<String, Object> object, String key) {
    return object.get(key) instanceof String text ? text : "";
  }

  public static double number(Map<String, Object> object, String key, double fallback) {
    return object.get(key) instanceof Number number ? number.doubleValue() : fallback;
  }

  /** A member that is a whole number. */
  public static long whole(Map<String, Object> object, String key, long fallback) {
    return object.get(key) instanceof Long number ? number : fallback;
  }

  public static boolean flag(Map<String, Object> object, String key) {
    return Boolean.TRUE.equals(object.get(key));
  }

  /** An id, which some platforms write as a number; empty when it is none. */
  public static String id(Map<String, Object> object, String key) {
    return object.get(key) instanceof Long number ? number.toString() : text(object, key);
  }

  /** The objects of a member that is an array; none when it is none. */
  public static List<Map<String, Object>> maps(Map<String, Object> object, String key) {
    return object.get(key) instanceof List<?> list
        ? list.stream().filter(Map.class::isInstance).map(JsonText::asMap).toList()
        : List.of();
  }

  public static String write(Object value) {
    return GSON.toJson(value);
  }
}
