package dev.holdfast.config;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Every secret that was read, so that a text for a log, an error body or a story can be freed of
 * them, whichever way they were encoded. Thread-safe.
 */
public final class Secrets {
  /** A shorter secret would black out common words; it protects nothing anyway. */
  private static final int LENGTH_MIN = 4;

  private static final int LINE_LENGTH_MIN = 16;
  private static final String HIDDEN = "***";

  /** What looks like a credential although nobody registered it; a common word does not. */
  private static final Pattern CREDENTIALS =
      Pattern.compile(
          "\\b((?i:bearer|basic)) +(?=[a-zA-Z0-9._~+/-]*([0-9=]|[a-z][A-Z])|[a-zA-Z0-9._~+/-]{24})"
              + "[a-zA-Z0-9._~+/=-]{8,}");

  private final Set<Path> files = ConcurrentHashMap.newKeySet();

  private volatile Forms forms = new Forms(List.of(), List.of());

  /**
   * Longest first, so that a secret inside another does not cut it in two.
   *
   * @param joined the same without line breaks and what nobody sees
   */
  private record Forms(List<String> written, List<String> joined) {
    static Forms of(SortedSet<String> all) {
      SortedSet<String> joined =
          sorted(
              all.stream()
                  .map(UnseenCharacters::without)
                  .filter(form -> form.length() >= LENGTH_MIN)
                  .toList());
      return new Forms(List.copyOf(all), List.copyOf(joined));
    }
  }

  /** Does nothing with a secret that is empty or too short to be one. */
  public void add(Secret secret) {
    add(secret.reveal());
  }

  public synchronized void add(String secret) {
    SortedSet<String> all = sorted(forms.written);
    addForms(secret.strip(), all);
    secret
        .lines()
        .map(String::strip)
        .filter(line -> line.length() >= LINE_LENGTH_MIN)
        .forEach(line -> addForms(line, all));
    int prefix = secret.indexOf('_');
    if (secret.startsWith("whsec_")) {
      addForms(secret.substring(prefix + 1).strip(), all);
    }
    forms = Forms.of(all);
  }

  /** A file that was read for its secrets, or that may hold some, whether it exists or not. */
  public void addFile(Path file) {
    files.add(file.toAbsolutePath());
  }

  /** Where secrets stand on the disk: absolute, as they were named, a link perhaps. */
  public Set<Path> files() {
    return Set.copyOf(files);
  }

  /** Hides from now on whatever {@code others} hide at this moment. */
  public synchronized void addAll(Secrets others) {
    files.addAll(others.files);
    SortedSet<String> all = sorted(forms.written);
    all.addAll(others.forms.written);
    forms = Forms.of(all);
  }

  private static SortedSet<String> sorted(Collection<String> forms) {
    SortedSet<String> all =
        new TreeSet<>(
            Comparator.comparingInt(String::length).reversed().thenComparing(text -> text));
    all.addAll(forms);
    return all;
  }

  /**
   * The same text with {@code ***} in the place of each secret, also of one with a line break or
   * unseen characters in it. Takes time in proportion to the length of the text, and to the number
   * of secrets.
   */
  public String redact(String text) {
    Forms now = forms;
    String result = text;
    for (String form : now.written) {
      if (result.contains(form)) {
        result = result.replace(form, HIDDEN);
      }
    }
    result = UnseenCharacters.replaceAcross(result, now.joined, HIDDEN);
    if (result.contains("earer ") || result.contains("asic ")) {
      result = CREDENTIALS.matcher(result).replaceAll("$1 " + HIDDEN);
    }
    return result;
  }

  private static void addForms(String secret, Collection<String> all) {
    if (secret.length() >= LENGTH_MIN) {
      SecretForms.of(secret).stream().filter(form -> form.length() >= LENGTH_MIN).forEach(all::add);
    }
  }
}
