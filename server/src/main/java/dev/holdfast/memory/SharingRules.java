package dev.holdfast.memory;

import dev.holdfast.config.Secrets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether a line of one chat thread may be shown to all of them.
 *
 * @param secrets those that the server knows
 * @param names of people, as they are known to the server
 */
record SharingRules(Secrets secrets, Set<String> names) {
  private static final int NAME_LENGTH_MIN = 3;

  /** Who speaks for the operator or for nobody in particular: no person's names. */
  private static final Set<String> NO_NAMES =
      Set.of("operator", "user", "users", "admin", "anonymous", "web", "the", "von", "van", "bot");

  private static final Pattern SECRET =
      Pattern.compile(
          "(?iu)\\b(pass(word|wort|phrase|code)s?|kennw[oö]rt(er)?|contrase(ñ|n)a|mot de passe|api["
              + " _-]?keys?|secrets?|credentials?|access[ _-]?(key|token)s?|(private|ssh|signing)["
              + " _-]keys?|tokens?|pins?|cvv|iban|one[ -]time codes?)\\b|-----BEGIN"
              + " |\\beyJ[A-Za-z0-9_-]{10,}|\\b(sk|pk|rk|ghp|gho|glpat|xox[a-z])[-_]\\w{6,}|\\bAKIA[A-Z0-9]{8,}|\\b[A-Z]{2}[0-9]{2}("
              + " ?[A-Z0-9]{4}){3,}");

  /** Letters and digits mixed at length, as only machines write them. */
  private static final Pattern RANDOM =
      Pattern.compile(
          "(?=[A-Za-z0-9+/_=-]*[0-9])(?=[A-Za-z0-9+/_=-]*[A-Za-z])[A-Za-z0-9+/_=-]{16,}");

  private static final Pattern CONTACT =
      Pattern.compile(
          "[^\\s@]+@[^\\s@]+|(^|\\s)@\\w+|(?<![\\w.])\\+?[0-9][0-9 ()./-]{6,}[0-9]"
              + "|://[^/\\s]*@");

  /** Looks like a number of a telephone. */
  private static final Pattern DAY = Pattern.compile("\\b[0-9]{4}-[0-9]{2}-[0-9]{2}\\b");

  private static final Pattern INSTRUCTION =
      Pattern.compile(
          "(?iu)\\b(always|never|from now on|in (the"
              + " )?future|henceforth|ignore|disregard|pretend|you"
              + " (must|should|shall|will|are)|remember (to|that)|do not"
              + " (tell|mention|reveal)|don't (tell|mention|reveal)|system prompt|instructions?|act"
              + " as|respond (with|in|only)|answer (with|in|only)|immer|niemals|ab"
              + " sofort|toujours|jamais|siempre|nunca)\\b");

  private static final Pattern CAPITALISED = Pattern.compile("\\b\\p{Lu}[\\p{L}'’-]+");

  /** With which a sentence may begin without naming anybody. */
  private static final Set<String> FIRST_WORDS =
      Set.of(
          "a", "all", "an", "and", "any", "are", "at", "by", "do", "each", "every", "for", "from",
          "if", "in", "is", "it", "its", "new", "no", "not", "of", "on", "only", "our", "some",
          "that", "the", "there", "these", "this", "those", "to", "we", "when", "where", "with");

  SharingRules {
    names = Set.copyOf(names);
  }

  /**
   * @param refusals why it never may, in sentences
   * @param doubts why a person has to look at it first
   */
  record Judgement(List<String> refusals, List<String> doubts) {
    Judgement {
      refusals = List.copyOf(refusals);
      doubts = List.copyOf(doubts);
    }
  }

  Judgement judge(String text) {
    List<String> refusals = new ArrayList<>();
    if (isSecret(secrets, text)) {
      refusals.add("it looks like a secret");
    }
    if (CONTACT.matcher(DAY.matcher(text).replaceAll(" ")).find()) {
      refusals.add("it holds an address or a number of somebody");
    }
    if (isInstruction(text)) {
      refusals.add("it tells the model what to do");
    }
    Set<String> words = words(text);
    List<String> named = nameWords(names).filter(words::contains).distinct().sorted().toList();
    if (!named.isEmpty()) {
      refusals.add("it names " + String.join(", ", named));
    }
    return new Judgement(refusals, doubts(text));
  }

  private static List<String> doubts(String text) {
    List<String> doubts = new ArrayList<>();
    List<String> capitalised =
        CAPITALISED
            .matcher(text)
            .results()
            .map(found -> found.group())
            .filter(word -> !FIRST_WORDS.contains(word.toLowerCase(Locale.ROOT)))
            .distinct()
            .toList();
    if (!capitalised.isEmpty()) {
      doubts.add("these words may be names: " + String.join(", ", capitalised));
    }
    if (text.codePoints().anyMatch(point -> Character.getType(point) == Character.OTHER_LETTER)) {
      doubts.add("its script has no capital letters, so that names cannot be told");
    }
    return doubts;
  }

  static boolean isSecret(Secrets secrets, String text) {
    return !secrets.redact(text).equals(text)
        || SECRET.matcher(text).find()
        || RANDOM.matcher(text).find();
  }

  static boolean isInstruction(String text) {
    return INSTRUCTION.matcher(text).find();
  }

  /** The words of names that name somebody. */
  private static Stream<String> nameWords(Collection<String> names) {
    return names.stream()
        .flatMap(name -> words(name).stream())
        .filter(word -> word.length() >= NAME_LENGTH_MIN && !NO_NAMES.contains(word));
  }

  static Set<String> words(String text) {
    return Arrays.stream(text.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+", -1))
        .filter(word -> !word.isEmpty())
        .collect(Collectors.toSet());
  }
}
