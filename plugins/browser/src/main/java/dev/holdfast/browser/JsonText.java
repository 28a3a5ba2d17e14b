package dev.holdfast.browser;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes JSON. Objects are maps, arrays are lists, numbers are doubles, and null is
 * {@link #NULL}. For one thread; one instance reads one text.
 */
final class JsonText {
  static final Object NULL =
      new Object() {
        @Override
        public String toString() {
          return "null";
        }
      };

  private static final int DEPTH_MAX = 200;

  /** Each takes far more memory than its text. */
  private static final int VALUES_MAX = 100_000;

  private final String text;
  private int at;
  private int values;

  private JsonText(String text) {
    this.text = text;
  }

  /**
   * Reads one object.
   *
   * @throws IllegalArgumentException when it is none, or has more than 100,000 values
   */
  static Map<String, Object> object(String text) {
    JsonText json = new JsonText(text);
    json.space();
    Map<String, Object> object = json.members(0);
    json.space();
    if (json.at < text.length()) {
      throw json.wrong("the end");
    }
    return object;
  }

  /** A member that is an object; an empty one when it is none. */
  static Map<String, Object> map(Map<String, Object> object, String key) {
    Map<String, Object> found = new LinkedHashMap<>();
    if (object.get(key) instanceof Map<?, ?> map) {
      map.forEach((name, value) -> found.put(String.valueOf(name), value));
    }
    return found;
  }

  /** A member that is a text; empty when it is none. */
  static String text(Map<String, Object> object, String key) {
    return object.get(key) instanceof String text ? text : "";
  }

  static double number(Map<String, Object> object, String key, double fallback) {
    return object.get(key) instanceof Double number ? number : fallback;
  }

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out) {
    switch (value) {
      case String text -> writeText(text, out);
      case Map<?, ?> map -> {
        String comma = "";
        out.append('{');
        for (Map.Entry<?, ?> member : map.entrySet()) {
          out.append(comma);
          writeText(String.valueOf(member.getKey()), out);
          write(member.getValue(), out.append(':'));
          comma = ",";
        }
        out.append('}');
      }
      case List<?> list -> {
        String comma = "";
        out.append('[');
        for (Object item : list) {
          write(item, out.append(comma));
          comma = ",";
        }
        out.append(']');
      }
      default -> out.append(value);
    }
  }

  private static void writeText(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  private Object value(int depth) {
    if (depth > DEPTH_MAX) {
      throw new IllegalArgumentException("it is nested too deeply");
    }
    if (++values > VALUES_MAX) {
      throw new IllegalArgumentException("it has too many values");
    }
    space();
    return switch (peek()) {
      case '{' -> members(depth);
      case '[' -> items(depth);
      case '"' -> string();
      default -> word();
    };
  }

  private Map<String, Object> members(int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    take('{');
    space();
    while (peek() != '}') {
      String name = string();
      space();
      take(':');
      members.put(name, value(depth + 1));
      more('}');
    }
    take('}');
    return members;
  }

  private List<Object> items(int depth) {
    List<Object> items = new ArrayList<>();
    take('[');
    space();
    while (peek() != ']') {
      items.add(value(depth + 1));
      more(']');
    }
    take(']');
    return items;
  }

  private void more(char end) {
    space();
    if (peek() != end) {
      take(',');
      space();
    }
  }

  private String string() {
    take('"');
    StringBuilder out = new StringBuilder();
    while (peek() != '"') {
      char c = text.charAt(at++);
      out.append(c == '\\' ? escaped() : c);
    }
    take('"');
    return out.toString();
  }

  private char escaped() {
    char c = peek();
    at++;
    return switch (c) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        if (at + 4 > text.length()) {
          throw wrong("four digits");
        }
        at += 4;
        yield (char) Integer.parseInt(text, at - 4, at, 16);
      }
      default -> c;
    };
  }

  private Object word() {
    int begin = at;
    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(begin, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null" -> NULL;
      default -> Double.valueOf(word); // a NumberFormatException is an IllegalArgumentException
    };
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong("more");
    }
    return text.charAt(at);
  }

  private void take(char expected) {
    if (peek() != expected) {
      throw wrong("a " + expected);
    }
    at++;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException wrong(String expected) {
    return new IllegalArgumentException("at character " + at + " there must be " + expected);
  }
}
