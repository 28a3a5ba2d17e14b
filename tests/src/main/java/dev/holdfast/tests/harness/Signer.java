package dev.holdfast.tests.harness;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs and checks as Standard Webhooks says: base64 of HMAC-SHA256 over {@code id.timestamp.body}.
 *
 * @param secret {@code whsec_} and the key in base64
 */
public record Signer(String secret) {
  /** One {@code v1,...} signature. */
  public String sign(String id, String timestamp, String body) {
    return "v1," + Base64.getEncoder().encodeToString(hmac(id + "." + timestamp + "." + body));
  }

  /** Whether one of the space-separated signatures is right. */
  public boolean verifies(String signatures, String id, String timestamp, String body) {
    byte[] wanted = sign(id, timestamp, body).getBytes(StandardCharsets.US_ASCII);
    for (String one : signatures.split(" ", -1)) {
      if (MessageDigest.isEqual(wanted, one.getBytes(StandardCharsets.US_ASCII))) {
        return true;
      }
    }
    return false;
  }

  byte[] hmac(String content) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(content.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
