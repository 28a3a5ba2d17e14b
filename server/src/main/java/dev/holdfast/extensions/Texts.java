package dev.holdfast.extensions;

import dev.holdfast.registry.FactReader;

/** Makes texts of a foreign program fit to be shown. */
final class Texts {
  private Texts() {}

  /** At most so many characters, none of them cut in two. */
  static String cut(String text, int unitsMax) {
    if (text.length() <= unitsMax) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(unitsMax - 1)) ? unitsMax - 1 : unitsMax;
    return text.substring(0, end);
  }

  /** Without the characters that a model sees and a person does not. */
  static String visible(String text) {
    if (text.codePoints().allMatch(FactReader::isVisible)) {
      return text;
    }
    StringBuilder kept = new StringBuilder();
    text.codePoints().filter(FactReader::isVisible).forEach(kept::appendCodePoint);
    return kept.toString();
  }
}
