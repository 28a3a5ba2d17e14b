package dev.holdfast.config;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** How one secret may be written in a text. */
final class SecretForms {
  /** Of what is hidden in base64 and hexadecimal: a shorter one would stand in other texts too. */
  private static final int ENCODED_LENGTH_MIN = 8;

  private static final HexFormat UPPER_CASE = HexFormat.of().withUpperCase();

  private SecretForms() {}

  static Set<String> of(String secret) {
    Set<String> all = new LinkedHashSet<>();
    for (Normalizer.Form form : List.of(Normalizer.Form.NFC, Normalizer.Form.NFD)) {
      addText(Normalizer.normalize(secret, form), all);
    }
    addText(secret, all);
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    for (int offset = 0; offset < 3; offset++) {
      addBase64(bytes, offset, all);
    }
    if (bytes.length >= ENCODED_LENGTH_MIN) {
      all.add(HexFormat.of().formatHex(bytes));
      all.add(UPPER_CASE.formatHex(bytes));
    }
    return all;
  }

  private static void addText(String secret, Collection<String> all) {
    all.add(secret);
    addJson(secret, all);
    addHtml(secret, all);
    String encoded = URLEncoder.encode(secret, StandardCharsets.UTF_8);
    all.add(encoded);
    all.add(encoded.replace("+", "%20"));
  }

  /** As libraries write it: with more or less of it as {@code \}{@code u00fc}. */
  private static void addJson(String secret, Collection<String> all) {
    String quoted =
        secret
            .replace("\\", "\\\\")
            .replace("\"", "\\\"")
            .replace("\n", "\\n")
            .replace("\r", "\\r")
            .replace("\t", "\\t");
    all.add(quoted);
    all.add(quoted.replace("/", "\\/"));
    for (HexFormat hex : List.of(HexFormat.of(), UPPER_CASE)) {
      String ascii = escaped(quoted, "", hex);
      all.add(ascii);
      all.add(ascii.replace("/", "\\/"));
      all.add(escaped(quoted, "<>&", hex));
      all.add(escaped(quoted, "<>&='", hex));
    }
  }

  /** With what is not ASCII, and these characters, as escapes. */
  private static String escaped(String text, String more, HexFormat hex) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x7f && more.indexOf(c) < 0) {
        escaped.append(c);
      } else {
        escaped.append("\\u").append(hex.toHexDigits(c));
      }
    }
    return escaped.toString();
  }

  private static void addHtml(String secret, Collection<String> all) {
    String tags = secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    all.add(tags);
    all.add(tags.replace("\"", "&quot;"));
    for (String quote : List.of("&quot;", "&#34;")) {
      for (String apostrophe : List.of("&#39;", "&#x27;", "&apos;")) {
        all.add(tags.replace("\"", quote).replace("'", apostrophe));
      }
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
