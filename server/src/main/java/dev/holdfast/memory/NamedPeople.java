package dev.holdfast.memory;

import java.text.Normalizer;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds names in texts, in whatever case, form of Unicode or German spelling they are written.
 *
 * @param words of the names, as {@link #forms} makes them
 * @param joined those of them in scripts without blanks, where a name may stand anywhere in what
 *     looks like one word
 */
record NamedPeople(Set<String> words, Set<String> joined) {
  private static final int LENGTH_MIN = 2;

  /** Who speaks for the operator or for nobody in particular: no person's names. */
  private static final Set<String> NO_NAMES =
      Set.of("operator", "user", "users", "admin", "anonymous", "web", "von", "van", "bot");

  /**
   * With which a sentence may begin without naming anybody; no names, whatever people are called.
   */
  static final Set<String> FUNCTION_WORDS =
      Set.of(
          "a", "all", "an", "and", "any", "are", "as", "at", "by", "do", "each", "every", "for",
          "from", "he", "if", "in", "is", "it", "its", "me", "my", "new", "no", "not", "of", "on",
          "only", "or", "our", "she", "so", "some", "that", "the", "there", "these", "this",
          "those", "to", "up", "us", "we", "when", "where", "with");

  private static final Pattern NOT_SHOWN = Pattern.compile("\\p{Cf}+");
  private static final Pattern MARKS = Pattern.compile("\\p{M}+");
  private static final Pattern BETWEEN = Pattern.compile("[^\\p{L}\\p{N}]+");
  private static final Pattern OUTER_DIGITS = Pattern.compile("^\\p{N}+|\\p{N}+$");

  /** Letters that no form of Unicode takes apart. */
  private static final Map<String, String> PLAIN =
      Map.of("ß", "ss", "ø", "o", "đ", "d", "ł", "l", "æ", "ae", "œ", "oe", "ı", "i", "þ", "th");

  private static final Map<String, String> GERMAN =
      Map.of("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "å", "aa");

  NamedPeople {
    words = Set.copyOf(words);
    joined = Set.copyOf(joined);
  }

  static NamedPeople of(Collection<String> names) {
    Set<String> words = new HashSet<>();
    for (String name : names) {
      forms(name).filter(NamedPeople::isName).forEach(words::add);
    }
    return new NamedPeople(
        words, words.stream().filter(NamedPeople::isWithoutBlanks).collect(Collectors.toSet()));
  }

  private static boolean isName(String word) {
    return word.codePointCount(0, word.length()) >= LENGTH_MIN
        && !NO_NAMES.contains(word)
        && !FUNCTION_WORDS.contains(word);
  }

  /** The words of a text that name somebody. */
  List<String> in(String text) {
    Set<String> named = new HashSet<>();
    forms(text).flatMap(NamedPeople::stems).filter(words::contains).forEach(named::add);
    String plain = plain(text);
    joined.stream().filter(plain::contains).forEach(named::add);
    return named.stream().sorted().toList();
  }

  private static boolean isWithoutBlanks(String word) {
    return word.codePoints().anyMatch(point -> Character.getType(point) == Character.OTHER_LETTER);
  }

  private static Stream<String> stems(String word) {
    String bare = OUTER_DIGITS.matcher(word).replaceAll("");
    return Stream.of(word, bare, bare.endsWith("s") ? bare.substring(0, bare.length() - 1) : bare);
  }

  /**
   * Its words, each in one spelling or two: {@code müller} as {@code muller} and {@code mueller}.
   */
  private static Stream<String> forms(String text) {
    String lower = lower(text);
    return Stream.of(plain(text), plain(replaced(lower, GERMAN)))
        .flatMap(BETWEEN::splitAsStream)
        .filter(word -> !word.isEmpty());
  }

  private static String lower(String text) {
    String shown =
        NOT_SHOWN.matcher(Normalizer.normalize(text, Normalizer.Form.NFKC)).replaceAll("");
    return Normalizer.normalize(shown.toLowerCase(Locale.ROOT), Normalizer.Form.NFKC);
  }

  private static String plain(String text) {
    String apart = Normalizer.normalize(lower(text), Normalizer.Form.NFKD);
    return replaced(MARKS.matcher(apart).replaceAll(""), PLAIN);
  }

  private static String replaced(String text, Map<String, String> letters) {
    String result = text;
    for (Map.Entry<String, String> letter : letters.entrySet()) {
      result = result.replace(letter.getKey(), letter.getValue());
    }
    return result;
  }
}
