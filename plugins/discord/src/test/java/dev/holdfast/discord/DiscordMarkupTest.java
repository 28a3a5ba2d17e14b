package dev.holdfast.discord;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.channels.Splitter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DiscordMarkupTest {
  @Test
  void aTableIsABlockOfCodeWithAlignedColumns() {
    assertThat(
            DiscordMarkup.content(
                "before\n\n| name | count |\n|:---|---:|\n| a | 1 |\n| long\\|er | 22 |\n\nafter"))
        .isEqualTo("before\n\n```\nname     count\na        1\nlong|er  22\n```\n\nafter");
  }

  @Test
  void whatIsInABlockOfCodeStaysAsItIs() {
    String code = "```md\n| a | b |\n|---|---|\n#### x\n![i](u)\n```";
    assertThat(DiscordMarkup.content(code)).isEqualTo(code);
    String nested = "````\n```\n| a | b |\n|---|---|\n```\n````";
    assertThat(DiscordMarkup.content(nested)).isEqualTo(nested);
  }

  @Test
  void smallHeadingsAndImagesAreShownInAnotherWay() {
    assertThat(DiscordMarkup.content("# one\n#### four\nsee ![plan](https://e.example/p.png)"))
        .isEqualTo("# one\n**four**\nsee [plan](https://e.example/p.png)");
    assertThat(DiscordMarkup.content("a | b, and --- there\nno table")).contains("a | b");
  }

  @Test
  void aTableThatWouldGrowTooLongStaysAsItIs() {
    String wide = "| " + "x".repeat(200) + " | b |\n|---|---|\n" + "| a | b |\n".repeat(150);
    String part = Splitter.split(wide, DiscordMarkup.UNITS_MAX).getFirst();
    assertThat(DiscordMarkup.content(part)).isEqualTo(part);
  }

  @Test
  void everyPartOfAReplyFitsIntoOnePost() {
    String code = "```java\n" + "int x = 1; // something\n".repeat(300) + "```\n";
    String text = "words and words ".repeat(300) + "\n\n" + code + "#### h\n".repeat(400);
    List<String> parts = Splitter.split(text, DiscordMarkup.UNITS_MAX);
    assertThat(parts)
        .allSatisfy(
            part ->
                assertThat(DiscordMarkup.content(part))
                    .hasSizeLessThanOrEqualTo(DiscordMarkup.CONTENT_MAX));
  }

  @Test
  void aDraftShowsBelowItWhatIsBeingDone() {
    assertThat(DiscordMarkup.draft("", "reading *all*\nof it"))
        .isEqualTo("-# reading \\*all\\* of it");
    assertThat(DiscordMarkup.draft("```java\nint x", "running"))
        .isEqualTo("```java\nint x\n```\n-# running");
    assertThat(DiscordMarkup.draft("hi", "")).isEqualTo("hi");
    assertThat(DiscordMarkup.draft("x".repeat(1900), "y".repeat(200))).hasSize(1900);
  }

  @Test
  @Timeout(10)
  void hostileTextTakesNoLongerThanItsLength() {
    long begun = System.nanoTime(); // how long the parser takes
    for (String piece : List.of("|", "| -", "![", "<@", "`", "#### ", "|-|\n", "```\n", "[](")) {
      String text = piece.repeat(200_000 / piece.length());
      assertThat(DiscordMarkup.content(text)).isNotEmpty();
      assertThat(DiscordText.without(text, "900", "71")).isNotNull();
      assertThat(DiscordMarkup.draft(text, "a")).isNotEmpty();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
  }
}
