package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerApi;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tools on the page: what waits for a yes, what runs, what was done. */
@InBrowser
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
class ToolPageTest {
  private static final String COMMAND =
      "!tool shell {\"command\": \"echo '<b>it ran</b>' >> ran.txt\"}";

  @RegisterExtension static final BrowserPages PAGES = BrowserPages.SUPERVISED;
  @RegisterExtension static final BrowserPages FREE = BrowserPages.FREE;

  private static Locator cards(ChatPage chat) {
    return chat.page().locator(".approval-card");
  }

  @Test
  void aCallThatWaitsIsACardAndTheKeyboardAnswersIt() {
    try (ChatPage chat = PAGES.open()) {
      chat.say(COMMAND);
      chat.awaitNewest("asking");
      assertThat(cards(chat)).hasCount(1);
      assertThat(cards(chat)).hasAttribute("role", "group");
      assertThat(cards(chat).locator(".arguments"))
          .hasText("{\"command\": \"echo '<b>it ran</b>' >> ran.txt\"}");
      assertThat(cards(chat)).containsText("operator");
      assertThat(cards(chat).locator(".time-left"))
          .hasText(Pattern.compile("(10|9) min \\d+ s left"));
      assertThat(chat.page().locator("#turn")).containsText("waiting for approval");
      assertThat(chat.notices()).hasCount(0); // the card says it
      chat.picture("tools-light");
      chat.page().reload();
      assertThat(cards(chat)).hasCount(1);
      Locator approve =
          cards(chat).locator("button", new Locator.LocatorOptions().setHasText("Approve"));
      approve.focus();
      chat.page().keyboard().press("Enter");
      chat.awaitNewest("answered");
      saysApproved(cards(chat));
      Locator fold = chat.page().locator(".tools summary");
      assertThat(fold).hasText("1 tool call");
      fold.focus();
      chat.page().keyboard().press("Enter");
      chat.awaitText(chat.page().locator(".tool-call"), "exit code 0");
      chat.awaitText(chat.page().locator(".tool-call"), "echo '<b>it ran</b>'");
      chat.picture("tools-folded-out");
      chat.page().reload();
      assertThat(chat.page().locator(".tools summary")).hasText("1 tool call");
      saysApproved(cards(chat));
      cards(chat).locator("summary").click();
      assertThat(cards(chat).locator(".arguments")).isVisible();
      chat.picture("tools-approved");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  private static void saysApproved(Locator card) {
    assertThat(card).hasAttribute("data-state", "used");
    assertThat(card.locator("h3")).hasText("Approved");
    assertThat(card.locator(".came"))
        .hasText(Pattern.compile("By operator, \\d\\d?:\\d\\d.*\\. It ran\\."));
    assertThat(card.locator("button")).hasCount(0);
  }

  @Test
  void aCardSaysHowItWasAnsweredElsewhere() throws IOException {
    Browser.NewContextOptions phone =
        new Browser.NewContextOptions().setViewportSize(390, 780).setColorScheme(ColorScheme.DARK);
    try (ChatPage chat = PAGES.open(phone)) {
      chat.say(COMMAND);
      assertThat(cards(chat)).hasCount(1);
      chat.picture("tools-phone-dark");
      Object wide =
          chat.evaluate(
              "document.documentElement.scrollWidth > document.documentElement.clientWidth");
      Assertions.assertThat(wide).isEqualTo(false);
      String id = waiting(chat);
      PAGES.api().post("/api/v1/approvals/" + id + "/deny", Map.of());
      chat.awaitNewest("answered");
      assertThat(cards(chat)).hasAttribute("data-state", "denied");
      chat.awaitText(cards(chat), "It was not run.");
      chat.awaitText(chat.answers(), "denied");
      chat.say(COMMAND);
      assertThat(cards(chat)).hasCount(2);
      chat.say("/stop");
      assertThat(cards(chat).last().locator("h3")).hasText("No longer needed");
      chat.page().reload();
      assertThat(cards(chat).locator("h3")).hasText(new String[] {"Denied", "No longer needed"});
      chat.picture("tools-outcomes-phone-dark");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void anAnswerThatComesTooLateIsSaidOnTheCard() {
    try (ChatPage chat = PAGES.open()) {
      chat.say(COMMAND);
      assertThat(cards(chat)).hasCount(1);
      chat.page()
          .route(
              "**/approvals/*/approve",
              route ->
                  route.fulfill(
                      new com.microsoft.playwright.Route.FulfillOptions()
                          .setStatus(403)
                          .setContentType("application/json")
                          .setBody(
                              "{\"error\":{\"code\":\"AUTH\",\"message\":\"only ann may\"}}")));
      cards(chat).locator("button", new Locator.LocatorOptions().setHasText("Approve")).click();
      assertThat(cards(chat).locator("[role=alert]")).containsText("only ann may");
      cards(chat).locator("button", new Locator.LocatorOptions().setHasText("Deny")).click();
      chat.awaitNewest("answered");
    }
  }

  @Test
  void aRunningToolShowsItsLabelAndItsTime() {
    try (ChatPage chat = FREE.open()) {
      chat.say("!tool shell {\"command\": \"sleep 60\"}");
      assertThat(chat.page().locator("#turn"))
          .containsText(Pattern.compile("shell: sleep 60… [1-9]\\d* s"));
      chat.picture("tools-running");
      chat.page().reload();
      assertThat(chat.page().locator("#turn")).containsText("shell: sleep 60…");
      chat.box().press("Escape");
      chat.awaitNewest("cancelled");
      assertThat(chat.page().locator("#turn")).isEmpty();
    }
  }

  @Test
  void aChangeOfAFileIsUndoneFromUnderTheAnswer() throws IOException {
    try (ChatPage chat = FREE.open()) {
      chat.converse("!tool write_file {\"path\": \"a.txt\", \"content\": \"one\"}");
      chat.page().locator(".tools summary").click();
      Locator undo = chat.page().locator(".tool-undo button");
      undo.click();
      assertThat(undo).hasText("Really undo?");
      chat.picture("tools-undo");
      undo.click();
      assertThat(chat.page().locator(".tool-undone")).hasText("Changes undone.");
      assertThat(undo).hasCount(0);
      Assertions.assertThat(FREE.api().get("/api/v1/audit").json().path("entries"))
          .anySatisfy(
              entry -> {
                Assertions.assertThat(entry.path("thread_id").asText()).isEqualTo(chat.threadId());
                Assertions.assertThat(entry.path("actor").asText()).isEqualTo("token:operator");
              });
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  private static String waiting(ChatPage chat) {
    return Await.value(
        "a call waits",
        Duration.ofSeconds(20),
        () -> {
          JsonNode all =
              PAGES
                  .api()
                  .get("/api/v1/approvals?thread=" + ServerApi.encode(chat.threadId()))
                  .json()
                  .path("approvals");
          return all.isEmpty() ? Optional.empty() : Optional.of(all.get(0).path("id").asText());
        });
  }
}
