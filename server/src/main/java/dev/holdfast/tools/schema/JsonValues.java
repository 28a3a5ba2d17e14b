package dev.holdfast.tools.schema;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Values of JSON as they are decoded: maps, lists, texts, numbers, booleans and null. */
final class JsonValues {
  private static final int SHOWN_UNITS_MAX = 120;

  private JsonValues() {}

  static String type(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Map<?, ?> _ -> "object";
      case List<?> _ -> "array";
      case String _ -> "string";
      case Boolean _ -> "boolean";
      case Number number -> isWhole(number) ? "integer" : "number";
      default -> throw new IllegalArgumentException("no value of JSON: " + value.getClass());
    };
  }

  private static boolean isWhole(Number number) {
    return switch (number) {
      case Double real -> real == Math.rint(real) && !real.isInfinite();
      case BigDecimal real -> real.stripTrailingZeros().scale() <= 0;
      default -> true;
    };
  }

  static int compare(Number one, Number other) {
    return isInfinite(one) || isInfinite(other)
        ? Double.compare(one.doubleValue(), other.doubleValue())
        : exact(one).compareTo(exact(other));
  }

  static boolean isInfinite(Number number) {
    return number instanceof Double real && real.isInfinite();
  }

  static BigDecimal exact(Number number) {
    return switch (number) {
      case BigDecimal real -> real;
      case BigInteger whole -> new BigDecimal(whole);
      case Double real -> BigDecimal.valueOf(real);
      default -> BigDecimal.valueOf(number.longValue());
    };
  }

  /**
   * A text that two values have in common when they are equal, and only then. As keys texts stay
   * fast also when somebody chooses them: maps sort those that have one hash.
   */
  static String canonical(@Nullable Object value, Evaluation run) {
    StringBuilder text = new StringBuilder();
    append(value, text);
    run.steps(text.length());
    return text.toString();
  }

  static String canonical(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    append(value, text);
    return text.toString();
  }

  private static void append(@Nullable Object value, StringBuilder text) {
    switch (value) {
      case Map<?, ?> object -> {
        text.append('{');
        Map<String, @Nullable Object> sorted = new TreeMap<>();
        object.forEach((name, member) -> sorted.put((String) name, member));
        sorted.forEach(
            (name, member) -> {
              append(name, text);
              append(member, text);
            });
        text.append('}');
      }
      case List<?> array -> {
        text.append('[');
        array.forEach(item -> append(item, text));
        text.append(']');
      }
      case String string -> text.append('"').append(string.length()).append(':').append(string);
      case Number number when !isInfinite(number) ->
          text.append('#').append(exact(number).stripTrailingZeros()).append(';');
      case null, default -> text.append(value).append(';');
    }
  }

  static String shortened(String text) {
    return text.length() <= SHOWN_UNITS_MAX ? text : text.substring(0, SHOWN_UNITS_MAX) + "...";
  }
}
