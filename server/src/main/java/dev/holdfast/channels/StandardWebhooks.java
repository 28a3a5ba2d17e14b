package dev.holdfast.channels;

import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.api.channels.SignedTime;
import dev.holdfast.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Signs and verifies requests by Standard Webhooks: {@code v1} is HMAC-SHA256 over {@code
 * id.timestamp.body}, the body as raw bytes. Immutable and thread-safe; never blocks; time is
 * linear in the body.
 *
 * <p>Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md.
 */
public final class StandardWebhooks {
  /** How far the sender's clock may be from ours, both ways. */
  static final Duration WINDOW = Duration.ofMinutes(5);

  private static final String PREFIX = "whsec_";
  private static final int KEY_BYTES_MIN = 24;
  private static final int KEY_BYTES_MAX = 64;
  private static final String MUST_BE =
      "secret must be base64 of 24 to 64 bytes, with or without whsec_ before it; make one with:"
          + " openssl rand -base64 32";
  private static final int SIGNATURES_MAX = 16;
  private static final int SIGNATURE_UNITS_MAX = 4096;

  /** Visible ASCII: an id is echoed in stories and lists. */
  private static final Pattern ID = Pattern.compile("[\\x21-\\x7e]{1,256}");

  private static final Pattern SIGNATURE = Pattern.compile("([a-z0-9]{1,8}),([^,]+)");

  private final List<HmacKey> keys;

  private StandardWebhooks(List<HmacKey> keys) {
    this.keys = List.copyOf(keys);
  }

  /** What {@link #verify} found. */
  public sealed interface Check {
    /**
     * The sender knows the secret. {@code id} is the {@code webhook-id}, the same for each
     * redelivery.
     */
    record Verified(String id) implements Check {}

    /** The reason is for the log only. */
    record Refused(String reason) implements Check {}
  }

  /**
   * @param secrets each the base64 of 24 to 64 bytes, with or without {@code whsec_} before it;
   *     while a secret is being changed there are two, the new one first
   * @throws IllegalArgumentException when a secret is no key; the message does not show it
   */
  public static StandardWebhooks of(List<Secret> secrets) {
    if (secrets.isEmpty()) {
      throw new IllegalArgumentException("secret must be set");
    }
    return new StandardWebhooks(secrets.stream().map(StandardWebhooks::key).toList());
  }

  private static HmacKey key(Secret secret) {
    String text = secret.reveal();
    if (text.isEmpty()) {
      throw new IllegalArgumentException("secret must be set");
    }
    byte[] bytes = decode(text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text);
    if (bytes.length < KEY_BYTES_MIN || bytes.length > KEY_BYTES_MAX) {
      throw new IllegalArgumentException(MUST_BE + " (got " + bytes.length + " bytes)");
    }
    return HmacKey.of(HmacKey.Algorithm.SHA256, bytes);
  }

  private static byte[] decode(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(MUST_BE, e);
    }
  }

  /**
   * The three headers of a request, signed with every secret, so that the receiver may change to
   * the new one at any time.
   */
  public Map<String, String> sign(String id, Instant at, byte[] body) {
    String timestamp = Long.toString(at.getEpochSecond());
    String signatures =
        keys.stream()
            .map(key -> "v1," + mac(key, id, timestamp, body))
            .collect(Collectors.joining(" "));
    return Map.of(
        "webhook-id", id, "webhook-timestamp", timestamp, "webhook-signature", signatures);
  }

  /**
   * Believes nothing before a signature fits; the comparison takes the same time wherever it fails.
   */
  public Check verify(WebhookRequest request) {
    String id = request.onlyHeader("webhook-id");
    String timestamp = request.onlyHeader("webhook-timestamp");
    String signatures = request.onlyHeader("webhook-signature");
    if (!ID.matcher(id).matches()) {
      return new Check.Refused("webhook-id is missing, given twice, or malformed");
    }
    if (!SignedTime.isSeconds(timestamp)) {
      return new Check.Refused("webhook-timestamp is missing, given twice, or malformed");
    }
    List<byte[]> presented = presented(signatures);
    if (presented.isEmpty()) {
      return new Check.Refused("webhook-signature is missing, given twice, or malformed");
    }
    boolean fits = false;
    for (HmacKey key : keys) {
      byte[] expected = mac(key, id, timestamp, request.body()).getBytes(StandardCharsets.US_ASCII);
      for (byte[] signature : presented) {
        fits |= MessageDigest.isEqual(expected, signature);
      }
    }
    if (!fits) {
      return new Check.Refused("no signature matches");
    }
    if (!SignedTime.isWithin(timestamp, request.receivedAt(), WINDOW)) {
      return new Check.Refused("webhook-timestamp is more than 300 s off the server's clock");
    }
    return new Check.Verified(id);
  }

  /**
   * The signatures of our version; none when any part of the header is not what the standard
   * describes.
   */
  private static List<byte[]> presented(String header) {
    if (header.length() > SIGNATURE_UNITS_MAX) {
      return List.of();
    }
    String[] tokens = header.split(" ", SIGNATURES_MAX + 1);
    if (tokens.length > SIGNATURES_MAX) {
      return List.of();
    }
    List<byte[]> ours = new ArrayList<>();
    for (String token : tokens) {
      var parts = SIGNATURE.matcher(token);
      if (!parts.matches()) {
        return List.of();
      }
      if (parts.group(1).equals("v1")) {
        ours.add(parts.group(2).getBytes(StandardCharsets.UTF_8));
      }
    }
    return ours;
  }

  private static String mac(HmacKey key, String id, String timestamp, byte[] body) {
    byte[] head = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
    return Base64.getEncoder().encodeToString(key.sign(head, body));
  }
}
