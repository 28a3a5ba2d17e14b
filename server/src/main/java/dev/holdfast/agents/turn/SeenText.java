package dev.holdfast.agents.turn;

/** What a person sees of a text. */
final class SeenText {
  private SeenText() {}

  /** Whether nothing can be seen of it: spaces, also those without width, and other formatting. */
  static boolean isNothing(String text) {
    return text.codePoints().allMatch(SeenText::isInvisible);
  }

  private static boolean isInvisible(int codePoint) {
    return Character.isWhitespace(codePoint)
        || Character.isSpaceChar(codePoint)
        || switch (Character.getType(codePoint)) {
          case Character.FORMAT, Character.CONTROL, Character.UNASSIGNED -> true;
          default -> isBlankLetter(codePoint);
        };
  }

  /** What Unicode counts among letters, marks and symbols although it shows nothing by itself. */
  private static boolean isBlankLetter(int codePoint) {
    return switch (codePoint) {
      case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0 -> true;
      default ->
          (codePoint >= 0xFE00 && codePoint <= 0xFE0F)
              || (codePoint >= 0x180B && codePoint <= 0x180F)
              || (codePoint >= 0xE0100 && codePoint <= 0xE01EF);
    };
  }
}
