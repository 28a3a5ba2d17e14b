package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import dev.holdfast.tests.harness.Outside;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Asking again on the page: the last answer anew, and an earlier message in other words. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class ReplacePageTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.FREE;

  private static Locator button(ChatPage chat, String label) {
    return chat.page()
        .locator(".msg:not(.replaced) .meta button")
        .getByText(label, new Locator.GetByTextOptions().setExact(true));
  }

  @Test
  void theLastAnswerIsAskedForAgain() {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("When do thrushes sing?");
      chat.converse("And robins?");
      assertThat(button(chat, "Ask again")).hasCount(1);
      button(chat, "Ask again").click();
      Locator fold = chat.page().locator(".replaced-fold");
      assertThat(fold).hasCount(1);
      chat.awaitNewest("answered");
      assertThat(chat.messages())
          .hasText(
              new java.util.regex.Pattern[] {
                java.util.regex.Pattern.compile("When do thrushes sing"),
                java.util.regex.Pattern.compile("And robins")
              });
      assertThat(chat.answers()).hasCount(2);
      chat.picture("replace-folded");
      chat.page().reload();
      assertThat(fold).containsText("An earlier message");
      assertThat(chat.answers()).hasCount(2);
      fold.locator("button").click();
      assertThat(chat.page().locator(".msg.replaced")).hasCount(2);
      chat.picture("replace-unfolded");
      fold.locator("button").press("Enter");
      assertThat(chat.page().locator(".msg.replaced")).hasCount(0);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void anEarlierMessageIsWrittenAnew() {
    Browser.NewContextOptions phone =
        new Browser.NewContextOptions().setViewportSize(390, 780).setColorScheme(ColorScheme.DARK);
    try (ChatPage chat = PAGES.open(phone)) {
      chat.converse("Where do herons nest?");
      chat.converse("Thank you");
      button(chat, "Edit").first().click();
      assertThat(chat.box()).hasValue("Where do herons nest?");
      assertThat(chat.page().locator("#editing")).isVisible();
      chat.picture("replace-editing-phone-dark");
      chat.box().press("Escape");
      assertThat(chat.page().locator("#editing")).isHidden();
      assertThat(chat.box()).hasValue("");
      button(chat, "Edit").first().click();
      chat.box().fill("Where do cranes");
      String thread = chat.threadId();
      chat.goTo("web:main:another-talk");
      assertThat(chat.box()).hasValue("");
      chat.goTo(thread);
      assertThat(chat.box()).hasValue("Where do cranes");
      button(chat, "Edit").first().click();
      chat.say("Where do storks nest?");
      assertThat(chat.page().locator(".replaced-fold")).containsText("2 earlier messages");
      chat.awaitNewest("answered");
      assertThat(chat.messages()).hasCount(1);
      assertThat(chat.messages()).containsText("storks");
      button(chat, "Edit").click();
      chat.say("Where do cranes nest?");
      assertThat(chat.page().locator(".replaced-fold")).containsText("3 earlier messages");
      chat.awaitNewest("answered");
      chat.page().reload();
      assertThat(chat.page().locator(".replaced-fold")).hasCount(1);
      assertThat(chat.messages()).hasCount(1);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void whatToolsDidIsSaidBeforeItIsReplaced() {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("!tool shell {\"command\": \"echo sown >> field.txt\"}");
      button(chat, "Ask again").click();
      chat.awaitNewest("failed");
      chat.awaitText(chat.messages().last(), "does not undo what they did: shell");
      assertThat(chat.messages()).hasCount(2); // nothing is replaced yet
      chat.picture("replace-effects");
      button(chat, "Replace all the same").click();
      chat.awaitNewest("answered");
      assertThat(chat.messages()).hasCount(1);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }
}
