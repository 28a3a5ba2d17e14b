package dev.holdfast.channels;

import java.util.List;

/** Cuts a text into parts that a platform takes. */
public final class Splitter {
  private Splitter() {}

  /**
   * At least one part, none longer than {@code unitsMax} UTF-16 units. Cuts at paragraphs, then lines, then spaces,
   * never inside a surrogate pair; a code fence that is cut is closed and opened again with its language.
   */
  public static List<String> split(String text, int unitsMax) {
    throw new UnsupportedOperationException(text + unitsMax);
  }
}
