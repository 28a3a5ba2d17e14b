package dev.holdfast.conversations;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a person types into a search box, in the language of SQLite's FTS5. */
final class SearchWords {
  /** A phrase in quotes, or a word. */
  private static final Pattern PART = Pattern.compile("\"([^\"]*)\"|[^\\s\"]+");

  private static final Pattern WORDLESS = Pattern.compile("[^\\p{L}\\p{N}]*");
  private static final int PARTS_MAX = 20;

  /** An invisible character that is no part of a word. */
  static final char APART = '\u200b';

  /** Letters of scripts that put no blanks between words. */
  private static final String UNSPACED =
      "[[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}\\p{IsLao}\\p{IsKhmer}\\p{IsMyanmar}]"
          + "&&\\p{L}]";

  private static final Pattern GAP =
      Pattern.compile(
          "(?<=%1$s)(?=[\\p{L}\\p{N}])|(?<=[\\p{L}\\p{N}])(?=%1$s)".formatted(UNSPACED));

  private SearchWords() {}

  /**
   * The text, with each letter of a script without blanks as a word of its own: several in a row
   * are found as a phrase, wherever they stand.
   */
  static String apart(String text) {
    return GAP.matcher(text).replaceAll(Character.toString(APART));
  }

  /**
   * All the words, in any order; the last one may go on, unless a quote or a blank ends it. Empty
   * when there is no word in the text.
   */
  static String query(String text) {
    List<String> parts = new ArrayList<>();
    Matcher part = PART.matcher(text);
    while (part.find() && parts.size() < PARTS_MAX) {
      boolean isPhrase = part.group(1) != null;
      String words = isPhrase ? part.group(1) : part.group();
      if (!WORDLESS.matcher(words).matches()) {
        boolean goesOn = !isPhrase && part.end() == text.length();
        parts.add('"' + apart(words) + '"' + (goesOn ? "*" : ""));
      }
    }
    return String.join(" ", parts);
  }
}
