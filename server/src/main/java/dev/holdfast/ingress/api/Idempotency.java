package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.RefusedRequestException;
import java.util.Optional;

/**
 * Remembers answers by the client's Idempotency-Key for a day. What is remembered is known to this
 * process alone: for several processes an implementation has to share it among them. Thread-safe.
 */
interface Idempotency {
  int KEY_CHARS_MAX = 255;

  /**
   * Begins a request, or returns the answer of the one before.
   *
   * @param scope the key together with who asks for what
   * @param content the query and the body
   * @throws RefusedRequestException 409 while the first one runs, or when it was another
   */
  Optional<Kept> begin(String scope, byte[] content) throws RefusedRequestException;

  /**
   * Ends a request that was begun. An answer of 500 and above is not kept, since the next try may
   * do better, nor a conflict: what the request conflicts with keeps its key.
   */
  void end(String scope, int status, String body);

  /** An answer as it went out. */
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
