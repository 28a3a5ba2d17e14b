package dev.holdfast.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a stranger reads and an operator enters: 8 characters, about 40 bits. Letters and digits
 * that look alike (0 O, 1 I L) are left out.
 */
record PairingCode(String text) {
  private static final String ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
  private static final int LENGTH = 8;
  private static final Pattern FORM = Pattern.compile("[" + ALPHABET + "]{" + LENGTH + "}");
  private static final Pattern TYPED_BETWEEN = Pattern.compile("[\\s-]");

  static PairingCode random(SecureRandom random) {
    StringBuilder text = new StringBuilder(LENGTH);
    for (int i = 0; i < LENGTH; i++) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return new PairingCode(text.toString());
  }

  /** In any case of letters, with blanks and hyphens between; empty when it can be no code. */
  static Optional<PairingCode> entered(String text) {
    String plain = TYPED_BETWEEN.matcher(text).replaceAll("").toUpperCase(Locale.ROOT);
    return FORM.matcher(plain).matches() ? Optional.of(new PairingCode(plain)) : Optional.empty();
  }

  /** What is kept of it: the SHA-256 in hex. */
  String hash() {
    try {
      byte[] bytes = ("holdfast pairing " + text).getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /** It is for the person alone. */
  @Override
  public String toString() {
    return "PairingCode[***]";
  }
}
