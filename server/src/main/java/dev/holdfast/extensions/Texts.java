package dev.holdfast.extensions;

import dev.holdfast.registry.FactReader;

/** Makes texts of a foreign program fit to be shown. */
public final class Texts {
  /** Makes of the sign before it an emoji; anywhere else it is unseen. */
  private static final int EMOJI_SELECTOR = 0xFE0F;

  private static final int SHOWN_UNITS_MAX = 500;

  private Texts() {}

  /** At most so many characters, none of them cut in two. */
  public static String cut(String text, int unitsMax) {
    if (text.length() <= unitsMax) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(unitsMax - 1)) ? unitsMax - 1 : unitsMax;
    return text.substring(0, end);
  }

  /** As much of words about a failure as people read, all of it visible. */
  static String shown(String text) {
    return cut(visible(text), SHOWN_UNITS_MAX);
  }

  /** Without the characters that a model sees and a person does not. */
  public static String visible(String text) {
    StringBuilder kept = new StringBuilder(text.length());
    int before = ' ';
    for (int point : (Iterable<Integer>) text.codePoints()::iterator) {
      boolean isStray = point == EMOJI_SELECTOR && !Character.isEmoji(before);
      if (FactReader.isVisible(point) && !isStray) {
        kept.appendCodePoint(point);
        before = point;
      }
    }
    return kept.toString();
  }
}
