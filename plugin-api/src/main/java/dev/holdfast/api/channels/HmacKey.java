package dev.holdfast.api.channels;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A shared secret that signs bytes. What is signed are the raw bytes of a request, never a text
 * that was made of them. Comparisons take the same time wherever they fail. Immutable, thread-safe;
 * time is linear in what is signed.
 */
public final class HmacKey {
  private final Algorithm algorithm;
  private final SecretKeySpec key;

  /** The hash function. */
  public enum Algorithm {
    SHA256("HmacSHA256"),
    /** For platforms that have nothing better. */
    SHA1("HmacSHA1");

    private final String javaName;

    Algorithm(String javaName) {
      this.javaName = javaName;
    }
  }

  private HmacKey(Algorithm algorithm, byte[] key) {
    this.algorithm = algorithm;
    this.key = new SecretKeySpec(key, algorithm.javaName);
  }

  /**
   * @throws IllegalArgumentException when the key is empty: everybody could sign with it
   */
  public static HmacKey of(Algorithm algorithm, byte[] key) {
    return new HmacKey(algorithm, key);
  }

  /** By a secret whose characters are the key, as most platforms mean it. */
  public static HmacKey ofText(Algorithm algorithm, String secret) {
    return new HmacKey(algorithm, secret.getBytes(StandardCharsets.UTF_8));
  }

  /** The signature of the parts, one after the other. */
  public byte[] sign(byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(algorithm.javaName);
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java has HMAC, and the key was checked", e);
    }
  }

  /** Whether it is the signature of the parts in hexadecimal digits of either case. */
  public boolean matchesHex(String presented, byte[]... parts) {
    return ConstantTime.equal(
        HexFormat.of().formatHex(sign(parts)), presented.toLowerCase(Locale.ROOT));
  }

  /** Whether it is the signature of the parts in base64, padded and in no other form of it. */
  public boolean matchesBase64(String presented, byte[]... parts) {
    return ConstantTime.equal(Base64.getEncoder().encodeToString(sign(parts)), presented);
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "HmacKey[" + algorithm + "]";
  }
}
