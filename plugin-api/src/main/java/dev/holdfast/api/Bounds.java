package dev.holdfast.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Judges what code of a plugin hands over, in that code: what is missing or too large is its own
 * failure.
 */
final class Bounds {
  private Bounds() {}

  static String text(String what, String text, int unitsMax) {
    Objects.requireNonNull(text, what);
    if (text.length() > unitsMax) {
      throw new IllegalArgumentException(
          "%s has %d UTF-16 units; at most %d may be".formatted(what, text.length(), unitsMax));
    }
    return text;
  }

  /** A copy; believes nothing that the list says about its size. */
  static <T> List<T> list(String what, List<T> list, int max) {
    List<T> copy = new ArrayList<>();
    for (T each : Objects.requireNonNull(list, what)) {
      if (copy.size() == max) {
        throw new IllegalArgumentException("%s has more than %d entries".formatted(what, max));
      }
      copy.add(Objects.requireNonNull(each, what));
    }
    return List.copyOf(copy);
  }

  static void number(String what, long number, long max) {
    if (number < 0 || number > max) {
      throw new IllegalArgumentException(
          "%s must be from 0 to %d, got %d".formatted(what, max, number));
    }
  }
}
