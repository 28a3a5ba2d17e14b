package dev.holdfast.config;

import java.util.BitSet;
import java.util.List;
import java.util.Set;

/** Finds what stands in a text with line breaks, or with characters that nobody sees, inside it. */
final class UnseenCharacters {
  /** A shorter form is found across unseen characters, but not across lines: words end there. */
  private static final int ACROSS_LINES_LENGTH_MIN = 8;

  /** Letters and signs without a shape: fillers of Hangul and Khmer, the joiner of graphemes. */
  private static final Set<Integer> SHAPELESS =
      Set.of(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0);

  private UnseenCharacters() {}

  /** The same text without line breaks and what nobody sees; tabs stay. */
  static String without(String text) {
    int at = firstIn(text);
    if (at == text.length()) {
      return text;
    }
    StringBuilder kept = new StringBuilder(text.length()).append(text, 0, at);
    while (at < text.length()) {
      int point = text.codePointAt(at);
      if (!isUnseen(point)) {
        kept.appendCodePoint(point);
      }
      at += Character.charCount(point);
    }
    return kept.toString();
  }

  /** The length of the text when there is none. */
  private static int firstIn(String text) {
    int at = 0;
    while (at < text.length()) {
      int point = text.codePointAt(at);
      if (isUnseen(point)) {
        return at;
      }
      at += Character.charCount(point);
    }
    return at;
  }

  private static boolean isUnseen(int point) {
    if (point < 0x7f) {
      return point < ' ' && point != '\t';
    }
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      case Character.NON_SPACING_MARK ->
          (point >= 0xFE00 && point <= 0xFE0F)
              || (point >= 0xE0100 && point <= 0xE01EF)
              || (point >= 0x180B && point <= 0x180F)
              || SHAPELESS.contains(point);
      default -> SHAPELESS.contains(point);
    };
  }

  /**
   * Replaces each of {@code forms} also where unseen characters stand in it.
   *
   * @param forms themselves {@link #without} such characters, the longest first
   */
  static String replaceAcross(String text, List<String> forms, String replacement) {
    String kept = without(text);
    if (kept.length() == text.length()) {
      return text;
    }
    List<String> found = forms.stream().filter(kept::contains).toList();
    return found.isEmpty() ? text : replaced(text, kept, found, replacement);
  }

  private static String replaced(String text, String kept, List<String> found, String replacement) {
    int[] places = places(text, kept.length());
    BitSet hidden = new BitSet(text.length());
    BitSet begins = new BitSet(text.length());
    for (String form : found) {
      for (int at = kept.indexOf(form); at >= 0; at = kept.indexOf(form, at + form.length())) {
        int first = places[at];
        int last = places[at + form.length() - 1];
        if (!hidden.get(first)
            && (form.length() >= ACROSS_LINES_LENGTH_MIN || isOneLine(text, first, last))) {
          hidden.set(first, last + 1);
          begins.set(first);
        }
      }
    }
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      if (begins.get(i)) {
        out.append(replacement);
      }
      if (!hidden.get(i)) {
        out.append(text.charAt(i));
      }
    }
    return out.toString();
  }

  private static boolean isOneLine(String text, int first, int last) {
    return text.substring(first, last).chars().noneMatch(c -> c == '\n' || c == '\r');
  }

  /** Where each character that is kept stands in the text. */
  private static int[] places(String text, int count) {
    int[] places = new int[count];
    int kept = 0;
    int at = 0;
    while (at < text.length()) {
      int point = text.codePointAt(at);
      int units = Character.charCount(point);
      for (int unit = 0; unit < units && !isUnseen(point); unit++) {
        places[kept++] = at + unit;
      }
      at += units;
    }
    return places;
  }
}
