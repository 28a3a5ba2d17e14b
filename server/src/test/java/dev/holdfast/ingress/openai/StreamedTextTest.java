package dev.holdfast.ingress.openai;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StreamedTextTest {
  private final StreamedText sent = new StreamedText();

  @Test
  void whatIsLeftFollowsWhatWasSent() {
    assertThat(sent.add("Hello ")).isEqualTo("Hello ");
    assertThat(sent.rest("Hello world")).hasValue(" world");
  }

  @Test
  void blanksAtTheEndsDoNotCount() {
    assertThat(sent.add(" Hello  \n")).isEqualTo(" Hello  \n");
    assertThat(sent.rest("Hello")).hasValue("");
  }

  @Test
  void roundsAreParagraphs() {
    sent.endRound();
    assertThat(sent.add("I look.")).isEqualTo("I look.");
    sent.endRound();
    assertThat(sent.add("Found it.")).isEqualTo("\n\nFound it.");
    assertThat(sent.rest("I look.\n\nFound it.")).hasValue("");
  }

  @Test
  void anotherAnswerIsNoContinuation() {
    assertThat(sent.add("Hello")).isEqualTo("Hello");
    assertThat(sent.rest("Good day")).isEmpty();
    assertThat(sent.rest("Hell")).isEmpty();
  }

  @Test
  void afterAVoidNothingIsSentUntilAnotherTextBegins() {
    assertThat(sent.add("Hel")).isEqualTo("Hel");
    sent.voided();
    assertThat(sent.add("lo")).isEmpty();
    assertThat(sent.rest("Hello")).isEmpty();
    sent.clear();
    assertThat(sent.add("Hello")).isEqualTo("Hello");
    assertThat(sent.rest("Hello")).hasValue("");
  }
}
