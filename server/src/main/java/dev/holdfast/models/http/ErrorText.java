package dev.holdfast.models.http;

import java.util.regex.Pattern;

/**
 * Makes a provider's words fit for an operator: one line, short, without anything that looks like a
 * key.
 */
final class ErrorText {
  private static final int LENGTH_MAX = 200;
  private static final Pattern KEYS =
      Pattern.compile("(?i)(sk-|key-|AIza|eyJ|bearer +|api[_-]?key[=: ]+)[A-Za-z0-9_.*+/=-]{4,}");
  private static final Pattern CONTROLS = Pattern.compile("\\p{Cntrl}+");

  private ErrorText() {}

  static String clean(String text, String secret) {
    String known = secret.length() < 4 ? text : text.replace(secret, "***");
    String line = CONTROLS.matcher(KEYS.matcher(known).replaceAll("***")).replaceAll(" ").strip();
    return line.length() > LENGTH_MAX ? line.substring(0, LENGTH_MAX) + "..." : line;
  }
}
