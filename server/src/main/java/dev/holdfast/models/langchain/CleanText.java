package dev.holdfast.models.langchain;

/**
 * Takes out of a model's text what no database, terminal or encoder bears: NUL and halves of
 * characters.
 */
final class CleanText {
  private char high;

  /** The part of a stream that is sure; half a character at its end waits for its other half. */
  String next(String delta) {
    StringBuilder clean = new StringBuilder(delta.length() + 1);
    for (int i = 0; i < delta.length(); i++) {
      take(delta.charAt(i), clean);
    }
    return clean.toString();
  }

  /** All of a text. */
  static String of(String text) {
    CleanText cleaner = new CleanText();
    return cleaner.next(text) + cleaner.rest();
  }

  private String rest() {
    return high == 0 ? "" : "\uFFFD";
  }

  private void take(char c, StringBuilder clean) {
    if (high != 0) {
      if (Character.isLowSurrogate(c)) {
        clean.append(high).append(c);
        high = 0;
        return;
      }
      clean.append('\uFFFD');
      high = 0;
    }
    if (Character.isHighSurrogate(c)) {
      high = c;
    } else if (Character.isLowSurrogate(c)) {
      clean.append('\uFFFD');
    } else if (c != 0) {
      clean.append(c);
    }
  }
}
