package dev.holdfast.config;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
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

  private static final int ENCODED_LENGTH_MIN = 8;
  private static final int LINE_LENGTH_MIN = 16;
  private static final String HIDDEN = "***";

  /** What looks like a credential although nobody registered it; a common word does not. */
  private static final Pattern CREDENTIALS =
      Pattern.compile(
          "\\b((?i:bearer|basic)) +(?=[a-zA-Z0-9._~+/-]*([0-9=]|[a-z][A-Z])|[a-zA-Z0-9._~+/-]{24})"
              + "[a-zA-Z0-9._~+/=-]{8,}");

  private final Set<Path> files = ConcurrentHashMap.newKeySet();

  /** Longest first, so that a secret inside another does not cut it in two. */
  private volatile List<String> forms = List.of();

  /** Does nothing with a secret that is empty or too short to be one. */
  public void add(Secret secret) {
    add(secret.reveal());
  }

  public synchronized void add(String secret) {
    SortedSet<String> all = sorted(forms);
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
    forms = List.copyOf(all);
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
    SortedSet<String> all = sorted(forms);
    all.addAll(others.forms);
    forms = List.copyOf(all);
  }

  private static SortedSet<String> sorted(Collection<String> forms) {
    SortedSet<String> all =
        new TreeSet<>(
            Comparator.comparingInt(String::length).reversed().thenComparing(text -> text));
    all.addAll(forms);
    return all;
  }

  /** The same text with {@code ***} in the place of each secret. */
  public String redact(String text) {
    String result = text;
    for (String form : forms) {
      if (result.contains(form)) {
        result = result.replace(form, HIDDEN);
      }
    }
    if (result.contains("earer ") || result.contains("asic ")) {
      result = CREDENTIALS.matcher(result).replaceAll("$1 " + HIDDEN);
    }
    return result;
  }

  private static void addForms(String secret, Collection<String> all) {
    if (secret.length() < LENGTH_MIN) {
      return;
    }
    all.add(secret);
    all.add(secret.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"));
    String encoded = URLEncoder.encode(secret, StandardCharsets.UTF_8);
    all.add(encoded);
    all.add(encoded.replace("+", "%20"));
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    for (int offset = 0; offset < 3; offset++) {
      addBase64(bytes, offset, all);
    }
  }

  /**
   * What a base64 text shows of the secret when {@code offset} other bytes (modulo 3) stand before
   * it, as in {@code user:secret}; the characters that it shares with its neighbours are left off.
   */
  private static void addBase64(byte[] secret, int offset, Collection<String> all) {
    byte[] shifted = new byte[offset + secret.length];
    System.arraycopy(secret, 0, shifted, offset, secret.length);
    int shared = shifted.length % 3 == 0 ? 0 : 1;
    int first = offset == 0 ? 0 : offset + 1;
    for (Base64.Encoder encoder : Arrays.asList(Base64.getEncoder(), Base64.getUrlEncoder())) {
      String encoded = encoder.withoutPadding().encodeToString(shifted);
      if (encoded.length() - shared - first >= ENCODED_LENGTH_MIN) {
        all.add(encoded.substring(first, encoded.length() - shared));
      }
    }
  }
}
