package dev.holdfast.memory;

import dev.holdfast.tools.memory.Memory;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Cuts texts into sentences, too seldom rather than too often: a piece of a sentence may say the
 * opposite of the whole.
 */
final class Sentences {
  /** Of what ends a sentence, the full stop alone stands behind abbreviations and numbers, too. */
  private static final int FULL_STOP = '.';

  private static final String ENDS = ".!?؟۔।。！？";

  /** Behind these no blank is written. */
  private static final String WIDE_ENDS = "。！？";

  /** These say nothing where a text ends. */
  private static final String SILENT_ENDS = ".!۔।。！";

  private static final String OPENING = "([{（［「『【";
  private static final String CLOSING = ")]}）］」』】";
  private static final String QUOTES = "\"“”„‟«»`";
  private static final int LETTERS_MIN = 4;

  /** May quote, and does not say where the quotation ends: an apostrophe stands between letters. */
  private static final Pattern UNCLEAR =
      Pattern.compile("[‘‚‛‹›＂＇<>~]|(?<![\\p{L}\\p{N}])['’]|['’](?![\\p{L}\\p{N}])");

  private static final Set<String> ABBREVIATIONS =
      Set.of(
          "prof", "capt", "dept", "univ", "assn", "corp", "approx", "incl", "excl", "resp", "evtl",
          "bspw", "bzgl", "inkl", "exkl", "dipl", "sept", "mmes", "messrs", "misc", "blvd");

  private Sentences() {}

  /** On one line, with each letter written in one way. */
  static String plain(String text) {
    return Normalizer.normalize(Memory.folded(text), Normalizer.Form.NFC).strip();
  }

  /** In their order, as {@link #exact}. */
  static List<String> exact(String text) {
    return cut(plain(text)).stream().map(Sentences::bare).toList();
  }

  /** As {@link #exact}, without capitals. */
  static List<String> loose(String text) {
    return exact(text).stream().map(sentence -> sentence.toLowerCase(Locale.ROOT)).toList();
  }

  /** Without a first capital and the full stops at its end. */
  static String bare(String sentence) {
    int end = sentence.length();
    while (end > 0
        && (Character.isWhitespace(sentence.charAt(end - 1))
            || SILENT_ENDS.indexOf(sentence.charAt(end - 1)) >= 0)) {
      end--;
    }
    return uncapitalised(end == 0 ? sentence : sentence.substring(0, end));
  }

  static String uncapitalised(String sentence) {
    return sentence.isEmpty()
        ? sentence
        : sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
  }

  private static List<String> cut(String line) {
    if (UNCLEAR.matcher(line).find()) {
      return line.isEmpty() ? List.of() : List.of(line);
    }
    List<String> sentences = new ArrayList<>();
    int start = 0;
    int open = 0;
    boolean isQuoted = false;
    for (int i = 0; i < line.length(); i++) {
      char at = line.charAt(i);
      open += OPENING.indexOf(at) >= 0 ? 1 : 0;
      open -= open > 0 && CLOSING.indexOf(at) >= 0 ? 1 : 0;
      isQuoted ^= QUOTES.indexOf(at) >= 0;
      if (open == 0 && !isQuoted && isEnd(line, i)) {
        sentences.add(line.substring(start, i + 1));
        start = line.charAt(i + 1) == ' ' ? i + 2 : i + 1;
      }
    }
    if (start < line.length()) {
      sentences.add(line.substring(start));
    }
    return sentences;
  }

  private static boolean isEnd(String line, int at) {
    char end = line.charAt(at);
    if (ENDS.indexOf(end) < 0 || at + 2 >= line.length()) {
      return false;
    }
    boolean isBlank = line.charAt(at + 1) == ' ';
    if (!isBlank && WIDE_ENDS.indexOf(end) < 0) {
      return false;
    }
    return isBeginning(line.codePointAt(isBlank ? at + 2 : at + 1))
        && (end != FULL_STOP || isWholeWord(line, at));
  }

  private static boolean isBeginning(int point) {
    return Character.isUpperCase(point)
        || Character.isTitleCase(point)
        || Character.getType(point) == Character.OTHER_LETTER;
  }

  private static boolean isWholeWord(String line, int end) {
    int start = end;
    while (start > 0 && Character.isLetter(line.codePointBefore(start))) {
      start -= Character.charCount(line.codePointBefore(start));
    }
    String word = line.substring(start, end);
    return word.codePointCount(0, word.length()) >= LETTERS_MIN
        && !ABBREVIATIONS.contains(word.toLowerCase(Locale.ROOT));
  }
}
