package dev.holdfast.ingress.login;

import dev.holdfast.config.RefusedValueException;
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
    String text = token.reveal();
    if (!text.chars().allMatch(c -> c > ' ' && c <= '~')) {
      throw new RefusedValueException(
          "token", "token must consist of letters, digits and signs of ASCII, without blanks");
    }
    if (text.length() < CHARS_MIN) {
      throw new RefusedValueException(
          "token", "token must have at least " + CHARS_MIN + " characters, got " + text.length());
    }
  }
}
