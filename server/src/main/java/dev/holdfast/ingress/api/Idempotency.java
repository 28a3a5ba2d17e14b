package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.StoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Remembers responses by the client's Idempotency-Key for a day, over restarts too. Thread-safe;
 * blocks.
 */
public interface Idempotency {
  int KEY_CHARS_MAX = 255;

  /** What a request does, as far as it matters when it comes again. */
  enum Effect {
    /** Found again by the key itself: without a kept response the request simply runs again. */
    MESSAGE,
    /** Happens once. */
    ONCE,
    /** Happens once, and the response is a secret: it is written down nowhere. */
    SECRET
  }

  /**
   * A request with a key.
   *
   * @param caller the name of the token
   * @param scope made of the key and of what it counts for
   * @param content made of the query and the body
   */
  record Keyed(String caller, String scope, String content, Effect effect) {
    /**
     * @param key checked
     * @param query as it came; empty when there is none
     */
    static Keyed of(
        String caller, String path, String key, String query, byte[] body, Effect effect) {
      byte[] asked = (query.length() + "?" + query).getBytes(StandardCharsets.UTF_8);
      byte[] named = (key + ' ' + path).getBytes(StandardCharsets.UTF_8); // a key has no blank
      return new Keyed(caller, digest(named), digest(asked, body), effect);
    }

    private static String digest(byte[]... parts) {
      try {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (byte[] part : parts) {
          digest.update(part);
        }
        return HexFormat.of().formatHex(digest.digest());
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java has SHA-256", e);
      }
    }
  }

  /**
   * Begins a request, or returns the response of the one before. What happens once is durably begun
   * on return.
   *
   * @throws RefusedRequestException 409 while the first one runs, when it was another, or when it
   *     ran and its response is not known
   */
  Optional<Kept> begin(Keyed request) throws RefusedRequestException, StoreException;

  /** Ends a request that was begun, durably; it may run again if its response is not kept. */
  void end(Keyed request, int status, String body);

  /**
   * A response of 500 and above is not, since the next try may do better, nor a conflict: what the
   * request conflicts with keeps its key.
   */
  static boolean isKept(int status) {
    return status < 500 && status != 429 && status != 409;
  }

  /** A response as it went out. */
  record Kept(int status, String body) {}

  /**
   * @throws RefusedRequestException 400 when it is not 1 to 255 plain characters
   */
  static void check(String key) throws RefusedRequestException {
    if (key.isEmpty()
        || key.length() > KEY_CHARS_MAX
        || key.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw RefusedRequestException.invalid(
          "Idempotency-Key must be 1 to " + KEY_CHARS_MAX + " plain characters without blanks");
    }
  }
}
