package dev.holdfast.ingress.login;

import dev.holdfast.ingress.wire.Caller;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The tokens that open the API, replaced as a whole when one is rotated. Thread-safe. */
public final class Tokens {
  private volatile List<Known> known;

  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Known(TokenConfig token, byte[] digest, byte[] sessionKey) {}

  public Tokens(List<TokenConfig> tokens) {
    known = tokens.stream().map(Tokens::known).toList();
  }

  /** From now on only these open anything; streams that others opened end within 5 s. */
  public void replace(List<TokenConfig> tokens) {
    known = tokens.stream().map(Tokens::known).toList();
  }

  /** Takes the same time whichever token it is not. */
  Optional<Caller> find(String presented) {
    byte[] digest = sha256(presented.getBytes(StandardCharsets.UTF_8));
    Known match = null;
    for (Known each : known) {
      if (MessageDigest.isEqual(each.digest, digest)) {
        match = each;
      }
    }
    return match == null
        ? Optional.empty()
        : Optional.of(new Caller(match.token.name(), match.token.scope(), false));
  }

  Optional<TokenConfig> named(String name) {
    return known.stream().map(Known::token).filter(token -> token.name().equals(name)).findFirst();
  }

  /** Signs with a key made of the token of that name, so that its rotation ends what was signed. */
  Optional<byte[]> sign(String name, String text) {
    return known.stream()
        .filter(each -> each.token.name().equals(name))
        .findFirst()
        .map(each -> hmac(each.sessionKey, text));
  }

  private static Known known(TokenConfig token) {
    byte[] secret = token.token().reveal().getBytes(StandardCharsets.UTF_8);
    return new Known(token, sha256(secret), hmac(secret, "holdfast session 1"));
  }

  public static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every JDK has HmacSHA256, and it takes any key", e);
    }
  }
}
