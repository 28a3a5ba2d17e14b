package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import dev.holdfast.tests.harness.Outside;
import java.io.IOException;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The page for those who may read and not write. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class ReaderPageTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.SUPERVISED;

  @Test
  void whoMayOnlyReadSeesOneLineInPlaceOfTheBox() throws IOException {
    String thread = "/api/v1/threads/" + PAGES.thread() + "/messages";
    String command = "!tool shell {\"command\": \"echo tulips\"}";
    Assertions.assertThat(
            PAGES.api().post(thread, Map.of("text", command, "shared", true)).status())
        .isEqualTo(202);
    Browser.NewContextOptions wide = new Browser.NewContextOptions().setViewportSize(1200, 800);
    try (ChatPage chat = PAGES.open(wide)) {
      assertThat(chat.box()).isVisible();
      assertThat(chat.page().locator("#readonly")).isHidden();
      chat.page().locator("#logout").click();
      chat.page().locator("#token").fill(BrowserPages.READER);
      chat.page().locator("#login-form [type=submit]").click();
      chat.awaitConnected();
      sees(chat);
      chat.page().locator("[data-thread='web:main:" + PAGES.thread() + "']").click();
      Locator card = chat.page().locator(".approval-card");
      assertThat(card).containsText("You cannot answer this");
      assertThat(card.locator("button")).hasCount(0);
      sees(chat);
      chat.picture("reader-light");
      chat.page().setViewportSize(390, 780);
      chat.page().reload();
      sees(chat);
      chat.picture("reader-phone");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
    Assertions.assertThat(PAGES.api().post(thread, Map.of("text", "/stop")).status())
        .isEqualTo(202);
  }

  private static void sees(ChatPage chat) {
    assertThat(chat.page().locator("#readonly")).containsText("a token that only reads");
    assertThat(chat.page().locator("#composer")).isHidden();
    assertThat(chat.page().locator("#keys")).isHidden();
    assertThat(chat.page().locator(".skip")).isHidden();
  }
}
