package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Outside;
import java.io.IOException;
import java.net.URI;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What only some browsers have: installing the page, notifications, speech recognition. The last
 * two are replaced by doubles: a test has neither a desktop nor a microphone.
 */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class BrowserFeaturesTest {
  private static final String NOTIFICATIONS =
      """
      window.shown = [];
      window.asked = 0;
      window.Notification = class extends EventTarget {
        static permission = 'default';
        static async requestPermission() {
          window.asked++;
          return (Notification.permission = localStorage.refuse ? 'denied' : 'granted');
        }
        constructor(title, { body }) {
          super();
          window.shown.push(`${title}: ${body}`);
        }
        close() {}
      };
      """;
  private static final String HIDDEN =
      "Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })";
  private static final String RECOGNITION =
      """
      window.SpeechRecognition = class extends EventTarget {
        start() { window.recognition = this; }
        stop() { this.dispatchEvent(new Event('end')); }
        abort() { window.aborted = true; this.stop(); }
        hear(...words) {
          this.dispatchEvent(Object.assign(new Event('result'),
            { results: words.map((transcript) => [{ transcript }]) }));
        }
      };
      """;

  @RegisterExtension static final BrowserPages PAGES = BrowserPages.SUPERVISED;

  /** A browser that has what the script puts there. */
  private static ChatPage open(String script) {
    ChatPage chat = PAGES.open();
    chat.page().addInitScript(script);
    chat.page().reload();
    chat.awaitConnected();
    return chat;
  }

  private static void notify(ChatPage chat, String choice) {
    chat.page().locator("#open-settings").click();
    chat.page()
        .locator("#settings-notify")
        .getByLabel(choice, new Locator.GetByLabelOptions().setExact(true))
        .click();
    assertThat(chat.page().locator("#settings-notify")).isVisible();
  }

  private static void closeSettings(ChatPage chat) {
    chat.page().keyboard().press("Escape");
    assertThat(chat.page().locator("#settings")).isHidden();
  }

  /** What was shown, once there are so many. */
  private static Object shown(ChatPage chat, int count) {
    chat.page().waitForFunction("count => shown.length >= count", count);
    return chat.evaluate("shown.join('|')");
  }

  @Test
  void thePageCanBeInstalled() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      URI address =
          URI.create(chat.evaluate("document.querySelector('link[rel=manifest]').href").toString());
      Answer answer = PAGES.api().get(address.getPath());
      Assertions.assertThat(answer.header("content-type")).isEqualTo("application/manifest+json");
      JsonNode manifest = answer.json();
      Assertions.assertThat(manifest.path("start_url").asText()).isEqualTo("/chat");
      for (JsonNode icon : manifest.path("icons")) {
        Object size =
            chat.page()
                .evaluate(
                    "async src => { const icon = new Image(); icon.src = src; await icon.decode();"
                        + " return `${icon.naturalWidth}x${icon.naturalHeight}`; }",
                    address.resolve(icon.path("src").asText()).toString());
        if (!icon.path("sizes").asText().equals("any")) {
          Assertions.assertThat(size).isEqualTo(icon.path("sizes").asText());
        }
      }
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void aHiddenPageNotifiesWhomItWasAllowedToAndNobodyIsAskedUnbidden() {
    try (ChatPage chat = open(NOTIFICATIONS)) {
      Object _ = chat.evaluate(HIDDEN);
      chat.converse("before");
      Assertions.assertThat(chat.evaluate("asked + shown.length")).isEqualTo(0);
      notify(chat, "Without the text");
      Assertions.assertThat(chat.evaluate("asked")).isEqualTo(1);
      chat.picture("notifications");
      closeSettings(chat);
      chat.converse("a secret");
      Assertions.assertThat(shown(chat, 1)).isEqualTo("Holdfast: There is an answer.");
      notify(chat, "With the text");
      closeSettings(chat);
      chat.converse("no secret");
      Assertions.assertThat(shown(chat, 2))
          .isEqualTo("Holdfast: There is an answer.|before: echo: no secret");
      Object _ = chat.evaluate("delete document.hidden");
      chat.converse("seen at once");
      Assertions.assertThat(chat.evaluate("shown.length")).isEqualTo(2);
    }
  }

  @Test
  void aQuestionIsNotTakenForAnAnswer() {
    try (ChatPage chat = open(NOTIFICATIONS)) {
      notify(chat, "Without the text");
      closeSettings(chat);
      Object _ = chat.evaluate(HIDDEN);
      chat.say("!tool shell {\"command\": \"echo larks\"}");
      chat.page().locator(".approval-card .deny").click();
      chat.awaitNewest("answered");
      Assertions.assertThat(shown(chat, 2))
          .isEqualTo(
              "Holdfast: A tool call is waiting for approval.|Holdfast: There is an answer.");
    }
  }

  @Test
  void aRefusedPermissionIsSaid() {
    try (ChatPage chat = open(NOTIFICATIONS)) {
      Object _ = chat.evaluate("localStorage.refuse = 1");
      notify(chat, "With the text");
      assertThat(chat.page().locator("#notify-hint")).isVisible();
      assertThat(chat.page().locator("#settings-notify input[value=off]")).isChecked();
    }
  }

  @Test
  void whatIsDictatedIsReadBeforeItIsSent() {
    try (ChatPage chat = open(RECOGNITION)) {
      Locator button = chat.page().locator("#dictate");
      chat.box().fill("Dear all,");
      button.click();
      assertThat(button).hasAttribute("aria-pressed", "true");
      Object _ = chat.evaluate("recognition.hear('good')");
      Object _ = chat.evaluate("recognition.hear('good morning', ' to you')");
      assertThat(chat.box()).hasValue("Dear all, good morning to you");
      chat.picture("dictation");
      assertThat(chat.messages()).hasCount(0);
      chat.box().press("Enter");
      chat.awaitNewest("answered");
      assertThat(button).hasAttribute("aria-pressed", "false");
      Object _ = chat.evaluate("recognition.hear('too late')");
      assertThat(chat.box()).hasValue("");
      button.click();
      Object _ =
          chat.evaluate(
              "recognition.dispatchEvent(Object.assign(new Event('error'), { error: 'not-allowed'"
                  + " })), recognition.stop()");
      assertThat(chat.page().locator("#trouble")).containsText("microphone");
      assertThat(button).hasAttribute("aria-pressed", "false");
    }
  }

  @Test
  void aBrowserWithoutThemShowsNeither() {
    String without =
        "for (const name of ['Notification', 'SpeechRecognition', 'webkitSpeechRecognition']) {"
            + " delete window[name]; }";
    try (ChatPage chat = open(without)) {
      Page page = chat.page();
      assertThat(page.locator("#dictate")).isHidden();
      page.locator("#open-settings").click();
      assertThat(page.locator("#settings-send")).isVisible();
      assertThat(page.locator("#settings-notify")).isHidden();
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }
}
