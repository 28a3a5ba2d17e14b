package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whose models answer, chosen for a message. */
@Timeout(240)
class LevelPageTest {
  private static final String BIG = "gpt-big";

  @RegisterExtension static final Browsers BROWSERS = new Browsers();
  private final ServerRig rig = new ServerRig();
  private final FakeModel model = new FakeModel().asOpenAi(rig.setup());

  @AfterEach
  void end() {
    model.close();
    rig.close();
  }

  private String askedModel() {
    return model.requests().getLast().body().path("model").asText();
  }

  @Test
  void aChosenLevelAnswersAlsoAfterARestart() throws IOException {
    rig.setup()
        .set("models.levels.strategic", List.of("openai/" + BIG))
        .set("models.choice", List.of("strategic"));
    try (ChatPage chat = ChatPage.open(rig.start(), BROWSERS.browser())) {
      chat.converse("small talk");
      Assertions.assertThat(askedModel()).isEqualTo("gpt-test");
      assertThat(chat.page().locator(".cost")).hasText("gpt-test");
      Locator level = chat.page().locator("#level");
      assertThat(level.locator("option")).hasText(new String[] {"default", "strategic"});
      level.selectOption("strategic");
      chat.picture("levels-light");
      model.next(ModelScript.hang());
      chat.say("think hard");
      Await.until(
          "the large model is asked", Duration.ofSeconds(60), () -> askedModel().equals(BIG));
      int before = model.requests().size();
      rig.restart();
      chat.awaitText(chat.answers().last(), "answer to think hard");
      Assertions.assertThat(model.requests()).hasSizeGreaterThan(before);
      Assertions.assertThat(askedModel()).isEqualTo(BIG);
      assertThat(chat.page().locator(".cost").last()).hasText(BIG);
      chat.page().reload();
      assertThat(level).hasValue("strategic");
      Answer refused =
          rig.api().post("/api/v1/threads/t/messages", Map.of("text", "hi", "level", "reactive"));
      Assertions.assertThat(refused.status()).isEqualTo(403);
      Assertions.assertThat(refused.body()).contains("only strategic");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }
}
