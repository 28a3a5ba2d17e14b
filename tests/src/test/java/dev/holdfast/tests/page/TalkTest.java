package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Talking on the page, through kills, cuts and outages. */
@InBrowser
class TalkTest {
  private static final Pattern[] KEPT = {
    Pattern.compile("are you there\\?"), Pattern.compile("I have your message")
  };
  private static final Pattern[] KEPT_AND_ANSWERED = {
    KEPT[0], KEPT[1], Pattern.compile("answer to are you there\\?")
  };

  @RegisterExtension static final BrowserPages PAGES = BrowserPages.MODEL;

  @Test
  void anAnswerIsReadWhileItIsWritten() {
    PacedAnswer paced = new PacedAnswer("The first half, ", "and **the second** half.");
    PAGES.model().next(paced);
    try (ChatPage chat = PAGES.open()) {
      chat.say("how are you?");
      chat.awaitText(chat.growing(), "The first half,");
      assertThat(chat.page().locator("#turn")).containsText(Pattern.compile("writing… .*\\d+ s"));
      assertThat(chat.growing()).hasAttribute("aria-hidden", "true");
      paced.goOn();
      chat.awaitNewest("answered");
      chat.awaitText(chat.answers(), "The first half, and the second half.");
      assertThat(chat.answers().locator("strong")).hasText("the second");
      assertThat(chat.page().locator("#turn")).isEmpty();
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void theLoginAddressWorksOnceAndLeavesTheAddressBar() {
    try (ChatPage chat = PAGES.open()) {
      String used = chat.usedAddress();
      Assertions.assertThat(chat.page().url()).doesNotContain("login=");
      chat.page().reload();
      chat.awaitConnected();
      chat.context().clearCookies();
      chat.page().navigate(used);
      chat.awaitText(chat.page().locator("#login-error"), "already been used");
      chat.page().locator("#token").fill("wrong");
      chat.page().locator("#token").press("Enter");
      chat.awaitText(chat.page().locator("#login-error"), "not valid");
      chat.page().locator("#token").fill(PAGES.api().token());
      chat.page().locator("#token").press("Enter");
      chat.awaitConnected();
      Assertions.assertThat(
              chat.evaluate("JSON.stringify({...localStorage}) + document.cookie").toString())
          .doesNotContain(PAGES.api().token());
    }
  }

  /** The server was asked what it does, and the answer came after the end of what it did. */
  @Test
  void aMessageThatIsAnsweredDoesNotGoBackToWork() {
    try (ChatPage chat = PAGES.open()) {
      Object state =
          chat.evaluate(
              """
              async () => {
                const main = document.querySelector('script[type=module]').src;
                const { Transcript } = await import(new URL('transcript.js', main));
                const talk = new Transcript('web:x', () => 1);
                talk.apply('event.accepted', { event_id: 'e1', text: 'hello' });
                talk.apply('turn.started', { event_id: 'e1' });
                talk.apply('event.finished', { event_id: 'e1' });
                talk.loadTurn({ doing: 'thinking', event_id: 'e1', since: '2026-01-01T00:00:00Z' });
                const ended = talk.items[0].state + ' ' + (talk.turn === null);
                talk.apply('event.accepted', { event_id: 'e2', text: 'may I?' });
                const asked_at = '2026-01-02T00:00:00Z';
                talk.loadApprovals([{ id: 'e2-a', event_id: 'e2', state: 'waiting', asked_at }]);
                return ended + ' ' + (talk.turn.since === Date.parse(asked_at));
              }
              """);
      Assertions.assertThat(state).isEqualTo("answered true true");
    }
  }

  @Test
  void whatIsKeptWhileAnOperatorHasStoppedTheServerStandsBeforeTheNoticeOfIt() throws Exception {
    try (ChatPage chat = PAGES.open()) {
      setMode("safe");
      chat.say("are you there?");
      chat.awaitText(chat.notices(), "I have your message");
      chat.page().reload();
      chat.awaitConnected();
      chat.awaitNewest("kept");
      assertThat(chat.said()).hasText(KEPT);
      assertThat(chat.page().locator("#turn")).isEmpty();
      setMode("auto");
      chat.awaitNewest("answered");
      chat.page().reload();
      chat.awaitConnected();
      assertThat(chat.said()).hasText(KEPT_AND_ANSWERED);
    }
  }

  private void setMode(String mode) throws IOException {
    Answer set = PAGES.api().post("/api/v1/mode", Map.of("mode", mode, "reason", "a test"));
    Assertions.assertThat(set.status()).as(set.body()).isEqualTo(200);
  }

  @Test
  void aKilledServerLosesNothingThatWasSaidOrTyped() {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("before the kill");
      PacedAnswer cut = new PacedAnswer("never finis", "hed");
      PAGES.model().next(cut);
      chat.say("in the middle");
      chat.awaitText(chat.growing(), "never finis");
      PAGES.rig().server().kill9();
      chat.awaitConnection("waiting");
      chat.say("while it is down");
      chat.awaitNewest("retrying");
      chat.box().fill("half a thought");
      chat.page().waitForFunction("JSON.stringify(localStorage).includes('half a thought')");
      ServerRig _ = PAGES.rig().start();
      chat.awaitConnected();
      chat.awaitNewest("answered");
      assertThat(chat.messages()).hasCount(3);
      assertThat(chat.answers()).hasCount(3);
      chat.awaitText(chat.answers().nth(1), "answer to in the middle");
      chat.awaitText(chat.answers().nth(2), "answer to while it is down");
      chat.page().reload();
      assertThat(chat.box()).hasValue("half a thought");
      assertThat(chat.answers()).hasCount(3);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void whatWasSaidMeanwhileIsShownAndMarked() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("here");
      chat.context().setOffline(true);
      PAGES.rig().restart();
      PAGES.say(chat.threadId(), "elsewhere");
      chat.context().setOffline(false);
      chat.awaitText(chat.answers().last(), "answer to elsewhere");
      assertThat(chat.page().locator(".divider")).hasText("new messages");
      assertThat(chat.messages()).hasCount(2);
    }
  }

  /** A page of the log is short when its entries are large; the button brings what is before it. */
  @Test
  void whatStandsBeforeLargeMessagesIsLoadedByTheButton() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("the very first");
      for (int i = 0; i < 4; i++) {
        PAGES.say(chat.threadId(), i + " " + "large words ".repeat(40_000));
      }
      chat.page().reload();
      Locator earlier = chat.page().locator("#earlier");
      assertThat(earlier).isVisible();
      assertThat(chat.messages().first()).not().containsText("the very first");
      earlier.click();
      assertThat(chat.messages().first()).containsText("the very first");
      assertThat(earlier).isHidden();
    }
  }

  @Test
  void aSendWhoseAnswerWasLostIsNotDoubled() {
    AtomicInteger sends = new AtomicInteger();
    try (ChatPage chat = PAGES.open()) {
      Page page = chat.page();
      page.route(
          "**/messages",
          route -> {
            if (sends.incrementAndGet() == 1) {
              route.fetch();
              route.abort();
            } else {
              route.resume(new Route.ResumeOptions());
            }
          });
      Response _ = page.waitForResponse("**/messages", () -> chat.converse("only once"));
      assertThat(chat.messages()).hasCount(1);
      assertThat(chat.answers()).hasCount(1);
      Assertions.assertThat(PAGES.model().requests()).hasSize(1);
    }
  }

  @Test
  void escapeStopsTheAnswer() {
    PAGES.model().next(new PacedAnswer("a long", "er one"));
    try (ChatPage chat = PAGES.open()) {
      chat.say("talk for long");
      chat.awaitText(chat.growing(), "a long");
      assertThat(chat.page().locator("#stop")).isVisible();
      chat.box().press("Escape");
      chat.awaitNewest("cancelled");
      assertThat(chat.page().locator("#stop")).isHidden();
      chat.page().reload();
      chat.awaitNewest("cancelled");
      chat.converse("and on");
    }
  }

  @Test
  void aModelThatIsAwayIsSaidAndTheAnswerComesByItself() {
    PAGES.model().always(ModelScript.unavailable());
    try (ChatPage chat = PAGES.open()) {
      chat.say("is someone there?");
      chat.awaitText(chat.notices(), "model is unavailable");
      chat.awaitNewest("parked");
      chat.page().reload();
      chat.awaitText(chat.notices(), "model is unavailable");
      PAGES.model().always(ModelScript.echo());
      chat.awaitText(chat.answers(), "answer to is someone there?");
      chat.awaitNewest("answered");
    }
  }

  @Test
  void theMarkBelowAMessageTellsItsStory() {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("what happened?");
      chat.messages().locator(".state").click();
      chat.awaitText(chat.page().locator("#story-body"), "openai/gpt-test");
      chat.awaitText(chat.page().locator("#story-body"), "answered");
      Locator steps = chat.page().locator("#story-body .steps li");
      assertThat(steps.filter(new Locator.FilterOptions().setHasText("Accepted"))).hasCount(1);
      assertThat(steps.filter(new Locator.FilterOptions().setHasText("Model called"))).hasCount(1);
      chat.page().keyboard().press("Escape");
      assertThat(chat.page().locator("#story")).isHidden();
    }
  }

  @Test
  void aConversationOfAnotherPlatformIsReadHereAndWrittenThere() {
    String build = PAGES.thread();
    Post _ = PAGES.rig().converse(build, build, "why did it fail?");
    try (ChatPage chat = PAGES.open()) {
      chat.page().locator("[data-thread='webhook:ci:" + build + "']").click();
      chat.awaitText(chat.answers(), "answer to why did it fail?");
      assertThat(chat.page().locator("#composer")).isHidden();
      assertThat(chat.page().locator("#readonly")).containsText("webhook");
    }
  }

  @Test
  void aModelWritesTheTitleOnce() {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      rig.setup().set("conversations.titles", "model");
      model.next(
          ModelScript.answer(_ -> "It is 1889."), ModelScript.answer(_ -> "\"Age of the tower.\""));
      try (ChatPage chat = ChatPage.open(rig.start(), PAGES.browser(), new NewContextOptions())) {
        chat.converse("when was it built?");
        assertThat(chat.page().locator("#title")).hasText("Age of the tower");
        chat.converse("and by whom?");
        assertThat(chat.page().locator("#threads")).containsText("Age of the tower");
        Assertions.assertThat(model.requests()).hasSize(3);
      }
    }
  }

  @Test
  void commandsAreAnsweredWithoutTheModel() {
    try (ChatPage chat = PAGES.open()) {
      chat.say("/help");
      chat.awaitText(chat.notices(), "/status");
      Assertions.assertThat(PAGES.model().requests()).isEmpty();
    }
  }
}
