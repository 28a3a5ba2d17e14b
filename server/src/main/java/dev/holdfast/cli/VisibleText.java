package dev.holdfast.cli;

/**
 * Text of strangers for terminals and logs: what would move the cursor, begin a line or turn the
 * order of letters is shown as its escape instead.
 */
final class VisibleText {
  private VisibleText() {}

  /** On one line: a line end of the text is shown as {@code \n}. */
  static String line(String text) {
    return escaped(text, false);
  }

  /** On one line, and nothing that a person does not see: not even what joins letters or emojis. */
  static String exact(String text) {
    String line = line(text);
    if (line.codePoints().noneMatch(VisibleText::isInvisible)) {
      return line;
    }
    StringBuilder shown = new StringBuilder(line.length() + 16);
    line.codePoints()
        .forEach(
            point -> {
              if (isInvisible(point)) {
                Character.toString(point)
                    .chars()
                    .forEach(unit -> shown.append("\\u%04X".formatted(unit)));
              } else {
                shown.appendCodePoint(point);
              }
            });
    return shown.toString();
  }

  private static boolean isInvisible(int point) {
    return switch (Character.getType(point)) {
      case Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      case Character.SPACE_SEPARATOR -> point != ' ';
      default -> isSelector(point);
    };
  }

  /** Variation selectors, joiners and fillers: without a glyph of their own. */
  private static boolean isSelector(int point) {
    return (point >= 0xFE00 && point <= 0xFE0F)
        || (point >= 0xE0100 && point <= 0xE01EF)
        || point == 0x034F
        || point == 0x115F
        || point == 0x1160
        || point == 0x3164
        || point == 0xFFA0;
  }

  /** With its line ends and tabs, each further line behind {@code indent}. */
  static String lines(String text, String indent) {
    String shown = escaped(text, true);
    return indent.isEmpty() ? shown : shown.replace("\n", "\n" + indent);
  }

  /** A JSON document that says the same; its own line ends, between its parts, stay. */
  static String json(String document) {
    return escaped(document, true);
  }

  private static String escaped(String text, boolean keepsLines) {
    if (text.chars().noneMatch(c -> isHidden((char) c))) {
      return text;
    }
    StringBuilder shown = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!isHidden(c) || (keepsLines && (c == '\n' || c == '\t'))) {
        shown.append(c);
      } else {
        shown.append(escape(c));
      }
    }
    return shown.toString();
  }

  private static String escape(char c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> "\\u%04X".formatted((int) c);
    };
  }

  /** Control characters, the separators of lines, and what sets the direction of text. */
  private static boolean isHidden(char c) {
    return Character.isISOControl(c)
        || (c >= '\u2028' && c <= '\u202e')
        || (c >= '\u2066' && c <= '\u2069')
        || c == '\u061c'
        || c == '\u200e'
        || c == '\u200f';
  }
}
