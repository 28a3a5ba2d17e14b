package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Outside;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whose models answer, chosen for a message. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class LevelPageTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.MODEL;

  private static String askedModel() {
    return PAGES.model().requests().getLast().body().path("model").asText();
  }

  @Test
  void aChosenLevelAnswersAlsoAfterARestart() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("small talk");
      Assertions.assertThat(askedModel()).isEqualTo("gpt-test");
      assertThat(chat.page().locator(".cost")).hasText("gpt-test");
      Locator level = chat.page().locator("#level");
      assertThat(level.locator("option")).hasText(new String[] {"default", "strategic"});
      level.selectOption("strategic");
      chat.picture("levels-light");
      PAGES.model().next(ModelScript.hang());
      chat.say("think hard");
      Await.until(
          "the large model is asked",
          Duration.ofSeconds(60),
          () -> askedModel().equals(BrowserPages.LARGE_MODEL));
      int before = PAGES.model().requests().size();
      PAGES.rig().restart();
      chat.awaitText(chat.answers().last(), "answer to think hard");
      Assertions.assertThat(PAGES.model().requests()).hasSizeGreaterThan(before);
      Assertions.assertThat(askedModel()).isEqualTo(BrowserPages.LARGE_MODEL);
      assertThat(chat.page().locator(".cost").last()).hasText(BrowserPages.LARGE_MODEL);
      chat.page().reload();
      assertThat(level).hasValue("strategic");
      Answer refused =
          PAGES.api().post("/api/v1/threads/t/messages", Map.of("text", "hi", "level", "reactive"));
      Assertions.assertThat(refused.status()).isEqualTo(403);
      Assertions.assertThat(refused.body()).contains("only strategic");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }
}
