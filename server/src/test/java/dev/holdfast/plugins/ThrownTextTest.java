package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThrownTextTest {
  @Test
  void noCharacterIsCutInTwo() {
    String head = ThrownText.head(new IllegalStateException("\uD83D\uDE00".repeat(200)));
    assertThat(head).startsWith("IllegalStateException: \uD83D\uDE00").endsWith("\uDE00...");
    assertThat(ThrownText.cut("\uD83D\uDE00", 1)).isEqualTo("...");
    assertThat(ThrownText.cut("\uD83D\uDE00", 2)).isEqualTo("\uD83D\uDE00");
  }
}
