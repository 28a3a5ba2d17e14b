package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.holdfast.tests.harness.Outside;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a reader prefers, each browser for itself. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class SettingsPageTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.FREE;
  private static final String GROUND = "getComputedStyle(document.body).backgroundColor";

  private static ChatPage open(ColorScheme colours) {
    return PAGES.open(
        new Browser.NewContextOptions()
            .setViewportSize(1200, 800)
            .setLocale("en-US")
            .setColorScheme(colours));
  }

  private static Locator dialog(ChatPage chat) {
    return chat.page().locator("#settings");
  }

  private static void choose(ChatPage chat, String label) {
    dialog(chat).getByLabel(label, new Locator.GetByLabelOptions().setExact(true)).check();
  }

  @Test
  void theDarkIsTheSystemsChoiceUntilThePersonChooses() {
    try (ChatPage chat = open(ColorScheme.DARK)) {
      Object night = chat.evaluate(GROUND);
      chat.page().locator("#open-settings").click();
      chat.picture("settings-dark");
      choose(chat, "Light");
      assertThat(chat.page().locator("html")).hasAttribute("data-theme", "light");
      Object daylight = chat.evaluate(GROUND);
      Assertions.assertThat(daylight).isNotEqualTo(night);
      chat.page().reload();
      chat.awaitConnected();
      Assertions.assertThat(chat.evaluate(GROUND)).isEqualTo(daylight);
      chat.page().locator("#open-settings").click();
      choose(chat, "System");
      Assertions.assertThat(chat.evaluate(GROUND)).isEqualTo(night);
    }
  }

  @Test
  void theKeyboardAloneChangesThemAndTheFocusReturns() {
    try (ChatPage chat = open(ColorScheme.LIGHT)) {
      chat.box().press("Control+,");
      assertThat(dialog(chat)).isVisible();
      chat.picture("settings-light");
      dialog(chat).getByLabel("Comfortable").focus();
      chat.page().keyboard().press("ArrowRight");
      assertThat(chat.page().locator("html")).hasAttribute("data-density", "compact");
      chat.page().keyboard().press("Escape");
      assertThat(dialog(chat)).isHidden();
      assertThat(chat.box()).isFocused();
      chat.page().reload();
      assertThat(chat.page().locator("html")).hasAttribute("data-density", "compact");
      chat.converse("How much fits on a compact page?");
      chat.picture("settings-compact");
    }
  }

  @Test
  void enterStartsALineWhereCtrlEnterSends() {
    try (ChatPage chat = open(ColorScheme.LIGHT)) {
      chat.box().press("Control+,");
      choose(chat, "Ctrl+Enter");
      chat.page().keyboard().press("Escape");
      assertThat(chat.page().locator("#keys")).containsText("Ctrl+Enter sends");
      chat.box().fill("one");
      chat.box().press("Enter");
      chat.page().keyboard().type("two");
      assertThat(chat.box()).hasValue("one\ntwo");
      assertThat(chat.messages()).hasCount(0);
      chat.box().press("Control+Enter");
      chat.awaitNewest("answered");
      assertThat(chat.messages().locator(".text")).hasText("one\ntwo");
    }
  }

  @Test
  void datesAreWrittenInTheChosenLanguageAndSurviveALogout() {
    try (ChatPage chat = open(ColorScheme.LIGHT)) {
      chat.converse("What day is it?");
      Locator time = chat.messages().locator("time");
      assertThat(time).hasAttribute("title", Pattern.compile("[AP]M$"));
      chat.page().locator("#open-settings").click();
      chat.page().locator("#dates").selectOption("de");
      chat.page().keyboard().press("Escape");
      assertThat(time)
          .hasAttribute("title", Pattern.compile("^\\d\\d\\.\\d\\d\\.\\d{4}, \\d\\d:.*\\d$"));
      chat.page().setViewportSize(390, 780);
      chat.page().locator("#menu").click();
      chat.page().locator("#open-settings").click();
      chat.page().emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
      chat.picture("settings-phone-dark");
      chat.page().locator("#settings-close").click();
      assertThat(chat.page().locator("#open-settings")).isFocused();
      chat.page().locator("#logout").click();
      assertThat(chat.page().locator("#login")).isVisible();
      Assertions.assertThat(chat.evaluate("localStorage['holdfast.settings']").toString())
          .contains("\"dates\":\"de\"");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }
}
