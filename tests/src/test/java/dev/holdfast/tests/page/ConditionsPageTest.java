package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerApi;
import java.io.IOException;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bar that says what is not well on the server. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class ConditionsPageTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.SUPERVISED;

  private static Locator bar(ChatPage chat) {
    return chat.page().locator("#conditions");
  }

  private void breaker(String change) throws IOException {
    String name =
        PAGES.api().get("/api/v1/breakers").json().findValuesAsText("name").stream()
            .filter(each -> each.startsWith("llm:"))
            .findFirst()
            .orElseThrow();
    PAGES.api().post("/api/v1/breakers/" + ServerApi.encode(name) + "/" + change, Map.of());
  }

  @Test
  void theBarComesWithAConditionOpensToItsDetailsAndGoesWithIt() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("hello");
      assertThat(bar(chat)).isHidden();
      breaker("trip");
      assertThat(bar(chat)).isVisible();
      chat.awaitText(bar(chat).locator("summary"), "No call goes to llm:");
      chat.picture("conditions-light");
      chat.page().reload();
      assertThat(bar(chat)).isVisible();
      bar(chat).locator("summary").focus();
      chat.page().keyboard().press("Enter");
      chat.awaitText(bar(chat).locator("li"), "breaker/llm:");
      chat.awaitText(bar(chat).locator("li"), "Ends when the breaker is reset by hand");
      chat.picture("conditions-light-open");
      breaker("reset");
      assertThat(bar(chat)).isHidden();
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void theBarFitsASmallDarkScreen() throws IOException {
    Browser.NewContextOptions phone =
        new Browser.NewContextOptions().setViewportSize(390, 780).setColorScheme(ColorScheme.DARK);
    try (ChatPage chat = PAGES.open(phone)) {
      chat.converse("hello");
      breaker("trip");
      assertThat(bar(chat)).isVisible();
      chat.picture("conditions-phone-dark");
      bar(chat).locator("summary").click();
      chat.picture("conditions-phone-dark-open");
      Object wide =
          chat.evaluate(
              "document.documentElement.scrollWidth > document.documentElement.clientWidth");
      Assertions.assertThat(wide).isEqualTo(false);
      breaker("reset");
    }
  }
}
