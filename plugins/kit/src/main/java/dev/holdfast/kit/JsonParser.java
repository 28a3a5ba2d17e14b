package dev.holdfast.kit;

import com.google.gson.JsonNull;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads one JSON text as {@link JsonText} says. A value that JSON does not allow costs itself
 * alone, as long as it is certain where it ends: a platform puts what many people wrote into one
 * text. Source: RFC 8259. For one thread; one instance reads one text.
 */
final class JsonParser {
  /** What is nested deeper is left out: one deep value must not hide the rest of a text. */
  private static final int DEPTH_MAX = 200;

  /** Above all that an event of a platform has room for; each level takes memory. */
  private static final int NESTING_MAX = 150_000;

  /** Each takes far more memory than its text. */
  private static final int VALUES_MAX = 100_000;

  /** Longer ones take time to read, and mean nothing to anybody. */
  private static final int DIGITS_MAX = 1000;

  private static final char REPLACEMENT = '\uFFFD';
  private static final Object NULL = JsonNull.INSTANCE;
  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

  private final String text;
  private int at;
  private int values;
  private int depth;

  JsonParser(String text) {
    this.text = text;
  }

  /**
   * Reads one object.
   *
   * @throws IllegalArgumentException with what is wrong and where; names nothing of the text
   */
  Map<String, Object> object() {
    if (text.startsWith("\uFEFF")) {
      at++;
    }
    if (next() != '{') {
      throw wrong("no object begins");
    }
    Map<String, Object> object = members();
    if (next() != 0 || at < text.length()) {
      throw wrong("something follows the object");
    }
    return object;
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException(
        "it is no JSON object: %s at character %d".formatted(what, at + 1));
  }

  /** The next character that is no space, at which it then is; 0 at the end. */
  private char next() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  private Object value() {
    if (++values > VALUES_MAX) {
      throw new JsonText.TooLargeException("it has more than 100,000 values");
    }
    return switch (next()) {
      case '{' -> depth < DEPTH_MAX ? members() : skipped();
      case '[' -> depth < DEPTH_MAX ? items() : skipped();
      case '"' -> string();
      default -> word();
    };
  }

  private Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    depth++;
    at++;
    if (next() == '}') {
      at++;
    } else {
      do {
        if (next() != '"') {
          throw wrong("no name of a member begins");
        }
        String name = string();
        if (next() != ':') {
          throw wrong("a colon is missing");
        }
        at++;
        members.put(name, value());
      } while (goesOn('}'));
    }
    depth--;
    return members;
  }

  private List<Object> items() {
    List<Object> items = new ArrayList<>();
    depth++;
    at++;
    if (next() == ']') {
      at++;
    } else {
      do {
        items.add(value());
      } while (goesOn(']'));
    }
    depth--;
    return items;
  }

  /** After a value: whether another one follows. */
  private boolean goesOn(char end) {
    char found = next();
    if (found != ',' && found != end) {
      throw wrong("a comma or %s is missing".formatted(end));
    }
    at++;
    return found == ',';
  }

  /** Control characters are read as they stand there. */
  private String string() {
    int from = ++at;
    while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
      at++;
    }
    StringBuilder read = new StringBuilder().append(text, from, at);
    while (at < text.length() && text.charAt(at) != '"') {
      char one = text.charAt(at++);
      read.append(one == '\\' ? escaped() : one);
    }
    if (at >= text.length()) {
      throw wrong("a text does not end");
    }
    at++;
    return whole(read);
  }

  /** An escape that JSON does not know stands for one character that nobody knows. */
  private char escaped() {
    if (at >= text.length()) {
      throw wrong("a text does not end");
    }
    char one = text.charAt(at++);
    return switch (one) {
      case '"', '\\', '/' -> one;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unit();
      default -> REPLACEMENT;
    };
  }

  private char unit() {
    int unit = 0;
    for (int digit = 0; digit < 4; digit++) {
      int value = at + digit < text.length() ? hex(text.charAt(at + digit)) : -1;
      if (value < 0) {
        return REPLACEMENT;
      }
      unit = unit * 16 + value;
    }
    at += 4;
    return (char) unit;
  }

  private static int hex(char digit) {
    return digit < 128 ? Character.digit(digit, 16) : -1;
  }

  /** Half of a surrogate pair is no character, and no UTF-8 can be made of it. */
  private static String whole(StringBuilder read) {
    for (int unit = 0; unit < read.length(); unit++) {
      if (!Character.isSurrogate(read.charAt(unit))) {
        continue;
      }
      boolean isPair =
          unit + 1 < read.length()
              && Character.isSurrogatePair(read.charAt(unit), read.charAt(unit + 1));
      if (isPair) {
        unit++;
      } else {
        read.setCharAt(unit, REPLACEMENT);
      }
    }
    return read.toString();
  }

  /** A number, true, false or null; null for what is meant as a number and is none. */
  private Object word() {
    int from = at;
    while (at < text.length() && isOfWord(text.charAt(at))) {
      at++;
    }
    if (at - from > DIGITS_MAX && isOfNumber(text.charAt(from))) {
      return NULL;
    }
    String word = text.substring(from, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null", "NaN", "Infinity" -> NULL;
      default -> {
        if (word.isEmpty() || !isOfNumber(word.charAt(0))) {
          at = from;
          throw wrong("no value begins");
        }
        yield NUMBER.matcher(word).matches() ? number(word) : NULL;
      }
    };
  }

  private static boolean isOfWord(char one) {
    return isOfNumber(one) || (one >= 'A' && one <= 'Z') || (one >= 'a' && one <= 'z');
  }

  private static boolean isOfNumber(char one) {
    return (one >= '0' && one <= '9') || one == '-' || one == '+' || one == '.';
  }

  private static Object number(String digits) {
    try {
      return Long.valueOf(digits);
    } catch (NumberFormatException _) {
      double number = Double.parseDouble(digits);
      return Double.isFinite(number) ? (Object) number : NULL;
    }
  }

  /** Goes behind an object or array without a call for each level. */
  private Object skipped() {
    StringBuilder ends = new StringBuilder();
    do {
      char one = next();
      switch (one) {
        case 0 -> throw wrong("something does not end");
        case '"' -> string();
        case '{', '[' -> {
          ends.append(one == '{' ? '}' : ']');
          at++;
        }
        case '}', ']' -> {
          if (ends.charAt(ends.length() - 1) != one) {
            throw wrong("an object or array ends wrongly");
          }
          ends.setLength(ends.length() - 1);
          at++;
        }
        default -> at++;
      }
      if (depth + ends.length() > NESTING_MAX) {
        throw new JsonText.TooLargeException("it is nested more than 150,000 levels deep");
      }
    } while (!ends.isEmpty());
    return NULL;
  }
}
