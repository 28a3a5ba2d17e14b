package dev.holdfast.agents.turn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeenTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " \n\t", "\u00A0\u2003", "\u200B", "\u200B\u200C\u200D\u2060\uFEFF", "\u202E\u2066",
        "\u00AD", "\u3164\u115F\uFFA0", "\u2800", "\uFE0F", "\uDB40\uDC41", "\u0007"
      })
  void thereIsNothingToSee(String text) {
    assertThat(SeenText.isNothing(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", ".", "\u200Ba\u200B", "\uD83D\uDC69\u200D\uD83D\uDCBB", "\u0915\u094D"})
  void thereIsSomethingToSee(String text) {
    assertThat(SeenText.isNothing(text)).isFalse();
  }
}
