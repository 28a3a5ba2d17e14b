package dev.holdfast.store.backup;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of files. */
final class Hashes {
  private static final int AT_ONCE = 1 << 16;

  private Hashes() {}

  static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  static String end(MessageDigest hash) {
    return HexFormat.of().formatHex(hash.digest());
  }

  static String of(byte[] content) {
    MessageDigest hash = begin();
    hash.update(content);
    return end(hash);
  }

  /** Copies no more than {@code most}. Returns how much there was. */
  static long copy(InputStream in, OutputStream out, long most) throws IOException {
    byte[] bytes = new byte[AT_ONCE];
    long copied = 0;
    while (copied < most) {
      int read = in.read(bytes, 0, (int) Math.min(bytes.length, most - copied));
      if (read < 0) {
        break;
      }
      out.write(bytes, 0, read);
      copied += read;
    }
    return copied;
  }
}
