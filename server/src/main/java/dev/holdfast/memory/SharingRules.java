package dev.holdfast.memory;

import dev.holdfast.config.Secrets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether a line of one chat thread may be shown to all of them.
 *
 * @param secrets those that the server knows
 * @param people whom the server knows
 */
record SharingRules(Secrets secrets, NamedPeople people) {
  private static final String WORD_BEGINS = "(?<![\\p{L}\\p{N}])";
  private static final String WORD_ENDS = "(?![\\p{L}\\p{N}])";

  private static final Pattern SECRET =
      Pattern.compile(
          "(?iu)"
              + WORD_BEGINS
              + "(p[a4@][s5$]{2} ?(w[o0]rd|wort|phrase|code)s?|kennw[oö]rt(er)?|contrase(ñ|n)a|mot"
              + " de passe|wachtwoord|lösenord|hasło|senha|пароль|api["
              + " _-]?keys?|secrets?|credentials?|access[ _-]?(key|token)s?|(private|ssh|signing)["
              + " _-]keys?|tokens?|pins?|cvv|iban|one[ -]time codes?|log[ -]?in"
              + " (is|with|as)|(code|combination) to the)"
              + WORD_ENDS
              + "|密码|密碼|暗証番号|パスワード|비밀번호|كلمة السر|סיסמה|-----BEGIN"
              + " |://[^/\\s]*:[^/\\s]*@|(?<![0-9])([0-9][ -]?){13,19}(?![0-9])"
              + "|\\beyJ[A-Za-z0-9_-]{10,}|\\b(sk|pk|rk|ghp|gho|glpat|xox[a-z])[-_]\\w{6,}|\\bAKIA[A-Z0-9]{8,}|\\b[A-Z]{2}[0-9]{2}("
              + " ?[A-Z0-9]{4}){3,}");

  /** Letters and digits mixed at length, as only machines write them. */
  private static final Pattern RANDOM =
      Pattern.compile(
          "(?=[A-Za-z0-9+/_=-]*[0-9])(?=[A-Za-z0-9+/_=-]*[A-Za-z])[A-Za-z0-9+/_=-]{16,}");

  /** Mail, handles, telephones, IPv4, URLs, IPv6, streets. */
  private static final Pattern CONTACT =
      Pattern.compile(
          "(?iu)[^\\s@]+@[^\\s@]+|(^|\\s)@\\w+|(?<![\\w.])\\+?[0-9][0-9 ()./-]{6,}[0-9]"
              + "|(?<![0-9.])[0-9]{1,3}(\\.[0-9]{1,3}){3}(?![0-9])"
              + "|[a-z][a-z0-9+.-]*://\\S|\\bwww\\."
              + "|\\b([0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\\b|(?<![\\w:])[0-9a-f:]*::[0-9a-f]+"
              + "|(str(asse|aße|\\.)|gasse|allee|weg|platz|"
              + WORD_BEGINS
              + "(rue|via|calle|rua|ulica)( \\p{L}+){1,3}) +[0-9]|[0-9]+[a-z]?,? (\\p{L}+"
              + " ){1,3}(street|st|avenue|ave|road|rd|lane|drive|boulevard|blvd|square)\\b");

  /** Looks like a number of a telephone. */
  private static final Pattern DAY = Pattern.compile("\\b[0-9]{4}-[0-9]{2}-[0-9]{2}\\b");

  private static final Pattern INSTRUCTION =
      Pattern.compile(
          "(?iu)"
              + WORD_BEGINS
              + "(always|never|from now on|in (the"
              + " )?future|henceforth|ignore|disregard|pretend|obey|you"
              + " (must|should|shall|will|are)|remember (to|that)|forget"
              + " (what|all|every|your|the)|do not (tell|mention|reveal)|don['’]t"
              + " (tell|mention|reveal)|reveal|system prompt|instructions?|act"
              + " as|(respond|answer|reply) (with|in|only)|every (answer|reply)|(the"
              + " )?(assistant|model|bot) (must|should|shall|will|has to)|when(ever)?"
              + " asked|whenever (some|any)(body|one)|(run|call|use) the [\\w"
              + " ]*tool|immer|niemals|ab sofort|antworte|du"
              + " (musst|sollst)|toujours|jamais|réponds|siempre|nunca|responde"
              + "|sempre|всегда|никогда|отвечай|отвечайте|забудь)"
              + WORD_ENDS
              + "|^\\W*(say|system:)|请|必须|始终|总是|忽略|いつも|必ず|항상|반드시|دائما|תמיד|हमेशा");

  private static final Pattern CAPITALISED =
      Pattern.compile("[\\p{L}\\p{M}'’-]*[\\p{Lu}\\p{Lt}][\\p{L}\\p{M}'’-]*");

  /** As people write their passwords. */
  private static final Pattern CODE_WORD =
      Pattern.compile("(?iu)(?=\\S*[0-9])(?=\\S*\\p{L})\\S{7,}|\\p{L}\\S{2,}:[^\\s:/]{4,}");

  private static final Set<Character.UnicodeScript> WITH_CAPITALS =
      EnumSet.of(
          Character.UnicodeScript.LATIN,
          Character.UnicodeScript.GREEK,
          Character.UnicodeScript.CYRILLIC,
          Character.UnicodeScript.ARMENIAN);

  private static final Pattern NOT_SHOWN = Pattern.compile("\\p{Cf}+");
  private static final Pattern DIGIT = Pattern.compile("\\p{Nd}");

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
    if (CONTACT.matcher(DAY.matcher(plain(text)).replaceAll(" ")).find()) {
      refusals.add("it holds an address or a number of somebody");
    }
    if (isInstruction(text)) {
      refusals.add("it tells the model what to do");
    }
    List<String> named = people.in(text);
    if (!named.isEmpty()) {
      refusals.add("it names " + String.join(", ", named));
    }
    return new Judgement(refusals, doubts(plain(text)));
  }

  private static List<String> doubts(String text) {
    List<String> doubts = new ArrayList<>();
    List<String> capitalised =
        found(CAPITALISED, text).stream()
            .filter(word -> word.codePointCount(0, word.length()) > 1)
            .filter(word -> !NamedPeople.FUNCTION_WORDS.contains(word.toLowerCase(Locale.ROOT)))
            .toList();
    if (!capitalised.isEmpty()) {
      doubts.add("these words may be names: " + String.join(", ", capitalised));
    }
    List<String> codes = found(CODE_WORD, DAY.matcher(text).replaceAll(" "));
    if (!codes.isEmpty()) {
      doubts.add("these words may be secrets: " + String.join(", ", codes));
    }
    Set<Character.UnicodeScript> scripts = scripts(text);
    if (!WITH_CAPITALS.containsAll(scripts)) {
      doubts.add("its script has no capital letters, so that names cannot be told");
    } else if (scripts.size() > 1) {
      doubts.add("it mixes scripts, whose letters may look the same");
    }
    return doubts;
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(MatchResult::group).distinct().toList();
  }

  private static Set<Character.UnicodeScript> scripts(String text) {
    return text.codePoints()
        .filter(Character::isLetter)
        .mapToObj(Character.UnicodeScript::of)
        .filter(script -> script != Character.UnicodeScript.COMMON)
        .collect(Collectors.toSet());
  }

  static boolean isSecret(Secrets secrets, String text) {
    String plain = plain(text);
    return Stream.of(text, plain, text.replace(".", ""))
            .anyMatch(form -> !secrets.redact(form).equals(form))
        || SECRET.matcher(DAY.matcher(plain).replaceAll(" ")).find()
        || RANDOM.matcher(plain).find();
  }

  static boolean isInstruction(String text) {
    return INSTRUCTION.matcher(plain(text)).find();
  }

  /** With letters and digits as a keyboard writes them, and nothing that is not shown. */
  private static String plain(String text) {
    String shown =
        NOT_SHOWN.matcher(Normalizer.normalize(text, Normalizer.Form.NFKC)).replaceAll("");
    return DIGIT
        .matcher(shown)
        .replaceAll(digit -> String.valueOf(Character.digit(digit.group().codePointAt(0), 10)));
  }
}
