package dev.holdfast.api.channels;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;

/**
 * A platform's public key, which verifies its signatures over raw bytes. Immutable, thread-safe;
 * time is linear in what is signed.
 */
public final class Ed25519Key {
  private static final int KEY_BYTES = 32;
  private static final int SIGNATURE_DIGITS = 128;

  /** What stands before the 32 bytes in the form that Java reads (RFC 8410). */
  private static final byte[] HEAD = HexFormat.of().parseHex("302a300506032b6570032100");

  private final PublicKey key;

  private Ed25519Key(PublicKey key) {
    this.key = key;
  }

  /**
   * By 64 hexadecimal digits, as platforms show it.
   *
   * @throws IllegalArgumentException when it is no such key
   */
  public static Ed25519Key ofHex(String digits) {
    byte[] raw = HexFormat.of().parseHex(digits);
    if (raw.length != KEY_BYTES) {
      throw new IllegalArgumentException("a public key has 64 digits, got " + digits.length());
    }
    byte[] encoded = new byte[HEAD.length + KEY_BYTES];
    System.arraycopy(HEAD, 0, encoded, 0, HEAD.length);
    System.arraycopy(raw, 0, encoded, HEAD.length, KEY_BYTES);
    try {
      return new Ed25519Key(
          KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("not a point of the curve", e);
    }
  }

  /** Whether it is the platform's signature of the parts, one after the other, in 128 digits. */
  public boolean verifiesHex(String presented, byte[]... parts) {
    if (presented.length() != SIGNATURE_DIGITS
        || !presented.chars().allMatch(HexFormat::isHexDigit)) {
      return false;
    }
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initVerify(key);
      for (byte[] part : parts) {
        signature.update(part);
      }
      return signature.verify(HexFormat.of().parseHex(presented));
    } catch (SignatureException _) {
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has Ed25519, and the key was checked", e);
    }
  }
}
