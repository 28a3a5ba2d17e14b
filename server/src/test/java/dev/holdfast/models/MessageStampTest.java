package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageStampTest {
  private static final Instant SENT = Instant.parse("2026-03-29T00:59:59Z");

  @ParameterizedTest
  @ValueSource(
      strings = {"", "hello", "two\n\nlines", "[sent 2026]", "a\n\n[sent 1 by b]", "\n\n[sent "})
  void whatIsPutOnComesOffAgain(String text) {
    for (ZoneId zone : new ZoneId[] {ZoneId.of("Europe/Berlin"), ZoneId.of("America/Lima")}) {
      String first = MessageStamp.on(text, SENT, zone, "ann [x]\n]", Optional.empty());
      String later = MessageStamp.on(text, SENT, zone, "", Optional.of(SENT.plusSeconds(99)));
      assertThat(MessageStamp.off(first)).isEqualTo(text);
      assertThat(MessageStamp.off(later)).isEqualTo(text);
    }
  }

  @Test
  void aNameCannotPassForAnythingElse() {
    String stamped =
        MessageStamp.on("hi", SENT, ZoneId.of("UTC"), "a]\n\n[sent 1 by b", Optional.empty());
    assertThat(stamped).isEqualTo("hi\n\n[sent 2026-03-29T00:59:59Z UTC by a    sent 1 by b]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello",
        "a\n\n[sent by b]",
        "a\n\n[sent 1 by b] c",
        "a\n\n[sent 1 by b]\n",
        "a\n\n[sent 1 [by] b]",
        "a\n\n[sent 1\nby b]",
        "a\n\n[sent ]",
        "a\n[sent 1 by b]"
      })
  void whatIsNoStampStays(String text) {
    assertThat(MessageStamp.off(text)).isEqualTo(text);
  }
}
