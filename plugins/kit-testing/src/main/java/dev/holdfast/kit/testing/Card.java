package dev.holdfast.kit.testing;

import java.util.Map;
import java.util.Objects;

/**
 * A post with buttons.
 *
 * @param tokens what each button carries, by its label; empty once the buttons are gone
 */
public record Card(String id, String text, Map<String, String> tokens) {
  public Card {
    tokens = Map.copyOf(tokens);
  }

  /** Of the button that says so. */
  public String token(String label) {
    return Objects.requireNonNull(tokens.get(label), label);
  }
}
