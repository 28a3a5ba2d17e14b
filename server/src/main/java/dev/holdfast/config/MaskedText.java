package dev.holdfast.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Texts as they may be shown: without what addresses and options of commands carry of secrets. */
public final class MaskedText {
  private static final String SECRET_NAME =
      "[\\w.-]*(?:token(?!s)|secret|passw(?:or)?d|passphrase|credential|(?<![a-z])key|apikey)[\\w.-]*";

  /** All before the last at sign in front of the host: a password may hold one itself. */
  private static final Pattern USER_INFO =
      Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*://)[^/?#\\s]+@");

  private static final Pattern PAIR =
      Pattern.compile("((?:^|[?&;#\\s-])" + SECRET_NAME + "=)[^&;#\\s]+", Pattern.CASE_INSENSITIVE);

  /** After which the next argument is the secret. */
  private static final Pattern OPTION =
      Pattern.compile("--?" + SECRET_NAME, Pattern.CASE_INSENSITIVE);

  private MaskedText() {}

  public static String of(String text) {
    String hidden = USER_INFO.matcher(text).replaceAll("$1***@");
    return PAIR.matcher(hidden).replaceAll("$1***");
  }

  /** The words of a command. */
  public static List<String> of(List<String> words) {
    List<String> hidden = new ArrayList<>();
    boolean isSecret = false;
    for (String word : words) {
      hidden.add(isSecret && !word.startsWith("-") ? "***" : of(word));
      isSecret = OPTION.matcher(word).matches();
    }
    return List.copyOf(hidden);
  }
}
