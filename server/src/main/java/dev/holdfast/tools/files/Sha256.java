package dev.holdfast.tools.files;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, in hex. */
public final class Sha256 {
  private Sha256() {}

  static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  static String end(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  public static String of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  public static String of(byte[] bytes) {
    MessageDigest digest = begin();
    digest.update(bytes);
    return end(digest);
  }
}
