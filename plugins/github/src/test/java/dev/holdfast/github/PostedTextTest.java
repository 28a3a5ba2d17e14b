package dev.holdfast.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.OutboundReply;
import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostedTextTest {
  private static final String SILENT = "@\u200B";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@alice",
        "ask @alice!",
        "(@acme/team)",
        "_@alice_",
        "\u00e9@alice",
        "> @alice said",
        "a ` b\n@alice ` c ` d",
        "- a ` b ` c `\n- @alice ` d",
        "\\`@alice\\`",
        "`` @alice `",
        "```\ncode\n```\n@alice",
        "- ```\n  code\n@alice",
        "para\n    ```\n    @alice",
        "<div>\n```\n@alice\n```\n</div>",
        "> <!-- x\n> `@alice`",
        "[a](https://example.org/)@alice",
        "https://example.org/<@alice",
        "https://localhost/@alice",
        "https://example.org/ @alice",
        "``` a`b\n@alice"
      })
  void aNameInAnAnswerCallsNobody(String text) {
    assertThat(PostedText.withoutMentions(text)).isEqualTo(text.replace("@", SILENT));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no name",
        "write to me@example.org",
        "https://medium.com/@alice/text",
        "[a](https://medium.com/@alice)",
        "<https://medium.com/@alice>!",
        "a @ b",
        "`@Override` stays",
        "``@a ` @b``",
        "```java\n@Override\nvoid run() {}\n```",
        "1. so:\n   ~~~java\n   @Override\n   ~~~\n",
        "```\n@alice"
      })
  void codeAndAddressesStayAsTheyAre(String text) {
    assertThat(PostedText.withoutMentions(text)).isEqualTo(text);
  }

  private static String posted(String text) {
    return PostedText.of(
        new OutboundReply("r1.1", "e1", "main", "octocat/hello#7", "", text, 1, 1, false));
  }

  @Test
  void aFenceThatIsLeftOpenIsClosedBeforeTheId() {
    assertThat(posted("so:\n````java\nint i;"))
        .isEqualTo("so:\n````java\nint i;\n````\n\n<!-- holdfast:r1.1 -->");
    assertThat(posted("1. so:\n   ~~~\n   x")).startsWith("1. so:\n   ~~~\n   x\n   ~~~\n\n");
    assertThat(posted("```\nx\n```")).startsWith("```\nx\n```\n\n<");
  }

  @Test
  void theLongestTextOfNamesFits() {
    String text = "@a".repeat(PostedText.UNITS_MAX / 2);
    assertThat(PostedText.withoutMentions(text)).hasSizeLessThan(60_001);
  }

  @Test
  void theLongestTextIsReadInNoTime() {
    for (String piece :
        new String[] {"@a ", "`", "\n", "` `` ", "```\n", " ", "~~~\n  @a\n", "https://a.b/@"}) {
      String text = piece.repeat(1_000_000 / piece.length());
      Assertions.assertTimeout(
          Duration.ofSeconds(5), () -> PostedText.withoutMentions(text + "@a"));
    }
  }
}
