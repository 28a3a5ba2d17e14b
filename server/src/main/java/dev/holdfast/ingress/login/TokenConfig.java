package dev.holdfast.ingress.login;

import dev.holdfast.config.Secret;
import dev.holdfast.ingress.wire.Scope;

/**
 * A token that opens the API.
 *
 * @param name who it was made for; stands in logs
 * @param scope the widest thing that it allows
 */
public record TokenConfig(String name, Secret token, Scope scope) {
  /** A guess must be hopeless even without the throttle on failures. */
  private static final int CHARS_MIN = 16;

  public TokenConfig {
    if (token.reveal().length() < CHARS_MIN) {
      throw new IllegalArgumentException(
          "token must have at least " + CHARS_MIN + " characters, got " + token.reveal().length());
    }
  }
}
