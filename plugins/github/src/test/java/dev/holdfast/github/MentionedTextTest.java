package dev.holdfast.github;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MentionedTextTest {
  private static MentionedText read(String text) {
    return MentionedText.of(text, "holdfast-bot");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "@holdfast-bot hello | hello",
        "@Holdfast-Bot: hello | hello",
        "@holdfast-bot, hello | hello",
        "@holdfast-bot /stop | /stop",
        "hello @holdfast-bot | hello",
        "(@holdfast-bot) hello | () hello",
        "ask @holdfast-bot about it | ask about it",
        "@holdfast-bot's work | 's work",
        "`x` @holdfast-bot go | `x` go"
      })
  void aNameIsReadAndLeftOut(String text, String left) {
    assertThat(read(text)).isEqualTo(new MentionedText(left, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello",
        "holdfast-bot",
        "@holdfast-bot2 hello",
        "@holdfast-bot-2 hello",
        "@holdfast-bot/team hello",
        "mail me@holdfast-bot",
        "https://x.y/@holdfast-bot",
        "@@holdfast-bot",
        "`@holdfast-bot` is its name",
        "> @holdfast-bot said",
        "```\n@holdfast-bot\n```",
        "~~~ text\n@holdfast-bot\n```\n@holdfast-bot"
      })
  void whatIsNoMentionStays(String text) {
    assertThat(read(text)).isEqualTo(new MentionedText(text, false));
  }

  @Test
  void behindCodeAndQuotesANameCountsAgain() {
    assertThat(read("> @holdfast-bot said\n\n```\n@holdfast-bot\n```\n@holdfast-bot do it"))
        .isEqualTo(
            new MentionedText("> @holdfast-bot said\n\n```\n@holdfast-bot\n```\ndo it", true));
  }

  @Test
  void theLongestCommentIsReadInNoTime() {
    for (String piece : new String[] {"@holdfast-bot ", "`", "\n", "@holdfast-bo", "```\n", " "}) {
      String text = piece.repeat(1_000_000 / piece.length());
      Assertions.assertTimeout(Duration.ofSeconds(5), () -> read(text));
    }
  }
}
