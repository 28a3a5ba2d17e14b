package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SentencesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "He lied: ‘Hi there. Alpha is nine. Goodbye.’",
        "He lied: 'Hi there. Alpha is nine. Goodbye.'",
        "He lied: ''Hi there. Alpha is nine. Goodbye.''",
        "He lied: ‚Hi there. Alpha is nine. Goodbye.‘",
        "He lied: ‹Hi there. Alpha is nine. Goodbye.›",
        "He lied: ＂Hi there. Alpha is nine. Goodbye.＂",
        "He lied: <q>Hi there. Alpha is nine. Goodbye.</q>",
        "~~Hi there. Alpha is nine. Goodbye.~~",
        "> Hi there. Alpha is nine. Goodbye.\nThat is a lie.",
        "He lied: \"Hi there. Alpha is nine. Goodbye.\"",
        "He lied (Hi there. Alpha is nine. Goodbye.)"
      })
  void whatMayBeQuotedIsNoSentence(String text) {
    assertThat(Sentences.exact(text)).hasSize(1);
  }

  @Test
  void anApostropheBetweenLettersQuotesNothing() {
    assertThat(Sentences.exact("We can't wait. It's Alice’s turn today.")).hasSize(2);
  }
}
