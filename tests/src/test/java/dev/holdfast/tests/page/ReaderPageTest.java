package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The page for those who may read and not write. */
@Timeout(120)
class ReaderPageTest {
  private static final String READER = "reader-token-0123456789abcdef";

  @RegisterExtension static final Browsers BROWSERS = new Browsers();
  private final ServerRig rig = new ServerRig();

  @AfterEach
  void end() {
    rig.close();
  }

  @Test
  void whoMayOnlyReadSeesOneLineInPlaceOfTheBox() throws IOException {
    rig.setup()
        .set("tools.shell.enabled", true)
        .set("tools.autonomy", "supervised")
        .set(
            "api.tokens",
            List.of(Map.of("name", "reader", "token", READER, "scopes", List.of("read"))));
    rig.start();
    String thread = "/api/v1/threads/garden/messages";
    String command = "!tool shell {\"command\": \"echo tulips\"}";
    Assertions.assertThat(rig.api().post(thread, Map.of("text", command, "shared", true)).status())
        .isEqualTo(202);
    Browser.NewContextOptions wide = new Browser.NewContextOptions().setViewportSize(1200, 800);
    try (ChatPage chat = ChatPage.open(rig, BROWSERS.browser(), wide)) {
      assertThat(chat.box()).isVisible();
      assertThat(chat.page().locator("#readonly")).isHidden();
      chat.page().locator("#logout").click();
      chat.page().locator("#token").fill(READER);
      chat.page().locator("#login-form [type=submit]").click();
      chat.awaitConnected();
      sees(chat);
      chat.page().locator("#threads button").click();
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
  }

  private static void sees(ChatPage chat) {
    assertThat(chat.page().locator("#readonly")).containsText("a token that only reads");
    assertThat(chat.page().locator("#composer")).isHidden();
    assertThat(chat.page().locator("#keys")).isHidden();
    assertThat(chat.page().locator(".skip")).isHidden();
  }
}
