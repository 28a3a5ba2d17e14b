package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** axe-core looks at each view of the page, light, dark and on a phone, and finds nothing. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class AccessibilityTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.FREE;

  /** All rules, also those of good practice. */
  private static final String AXE =
      """
      async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
        .map((each) => `${each.id}: ${each.nodes.map((node) => `${node.html.slice(0, 150)} ${node.failureSummary}`).join(' / ')}`)
        .join('\\n')
      """;

  private static String script = "";

  @BeforeAll
  static void read() throws IOException {
    try (InputStream axe = AccessibilityTest.class.getResourceAsStream("/axe.min.js")) {
      script = new String(Objects.requireNonNull(axe).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void check(ChatPage chat, String view, String look) {
    chat.picture("axe-" + view + "-" + look);
    Object _ = chat.evaluate(script);
    Assertions.assertThat(chat.evaluate(AXE)).as(view).isEqualTo("");
  }

  @ParameterizedTest
  @CsvSource({
    "light, 1200, LIGHT",
    "dark, 1200, DARK",
    "phone, 390, LIGHT",
    "phone-dark, 390, DARK"
  })
  void nothingStandsInAnybodysWay(String look, int width, ColorScheme colours) {
    Browser.NewContextOptions options =
        new Browser.NewContextOptions()
            .setViewportSize(width, 820)
            .setColorScheme(colours)
            .setReducedMotion(ReducedMotion.REDUCE);
    try (ChatPage chat = PAGES.open(options)) {
      check(chat, "new", look);
      chat.converse("Look: " + RichAnswerTest.RICH);
      assertThat(chat.answers().locator("math").first()).isVisible();
      assertThat(chat.answers().locator(".hljs-keyword").first()).isVisible();
      check(chat, "conversation", look);
      chat.messages().locator(".state").click();
      chat.awaitText(chat.page().locator("#story-body"), "answered");
      check(chat, "story", look);
      chat.page().keyboard().press("Escape");
      Map<String, Object> ask = Map.of("ask", Map.of("question", "Which one?", "kind", "answer"));
      Map<String, Object> step =
          Map.of("name", "ask", "agent", "worker", "action", "look", "payload", ask);
      chat.say(ShellRig.call("plan", Map.of("goal", "Ask somebody", "steps", List.of(step))));
      assertThat(chat.page().locator("#log .plan-card")).isVisible();
      chat.page().locator("#waiting").click();
      assertThat(chat.page().locator("#log .plan-card textarea")).isFocused();
      check(chat, "plan", look);
      if (width < 760) {
        chat.page().locator("#menu").click();
        check(chat, "list", look);
      }
      chat.page().locator("#open-plans").click();
      assertThat(chat.page().locator("#plans-list li").first()).isVisible();
      check(chat, "plans", look);
      chat.page().keyboard().press("Escape");
      chat.page().locator("#open-search").click();
      chat.page().locator("#words").fill("Look");
      assertThat(chat.page().locator("#hits li").first()).isVisible();
      check(chat, "search", look);
      chat.page().locator("#search-close").click();
      chat.page().locator("#open-settings").click();
      check(chat, "settings", look);
      chat.page().keyboard().press("Escape");
      chat.page().locator("#logout").click();
      assertThat(chat.page().locator("#login")).isVisible();
      check(chat, "login", look);
    }
  }
}
