package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.RequestOptions;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerApi;
import java.io.IOException;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several people, one after the other in a browser or together in a conversation. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class SeveralPeopleTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.SUPERVISED;

  private static String log(String threadId) throws IOException {
    return PAGES.api().get("/api/v1/threads/" + ServerApi.encode(threadId) + "/log").body();
  }

  /** Everything that somebody at this browser could come across. */
  private static String traces(ChatPage chat) {
    return chat.evaluate("document.title + document.body.innerText + document.body.innerHTML")
        .toString();
  }

  @Test
  void whatWasNotSentGoesOnlyInTheNameOfWhoWroteIt() throws IOException {
    try (ChatPage chat = PAGES.openAs(BrowserPages.ALICE)) {
      chat.converse("The heron is mine");
      String thread = chat.threadId();
      chat.page().route("**/messages", route -> route.abort());
      chat.say("and so is the stork");
      chat.awaitNewest("retrying");
      chat.box().fill("half a crane");
      logInBehind(chat, BrowserPages.BOB);
      chat.page().unroute("**/messages");
      assertThat(chat.messages()).hasCount(0);
      chat.awaitConnected();
      assertThat(chat.box()).hasValue("");
      Assertions.assertThat(traces(chat)).doesNotContain("heron", "stork", "crane");
      Assertions.assertThat(chat.threadId()).isNotEqualTo(thread);
      Assertions.assertThat(log(thread)).doesNotContain("stork");
      chat.page().locator("#logout").click();
      chat.awaitLoggedOut();
      chat.logIn(BrowserPages.ALICE);
      chat.goTo(thread);
      chat.awaitNewest("answered");
      chat.awaitText(chat.messages().last(), "and so is the stork");
      assertThat(chat.messages()).hasCount(2);
      assertThat(chat.box()).hasValue("half a crane");
    }
  }

  /** As another tab would, but without a word to this one. */
  private static void logInBehind(ChatPage chat, String token) {
    APIResponse in =
        chat.context()
            .request()
            .post(
                PAGES.rig().setup().url("/login"),
                RequestOptions.create()
                    .setHeader("Origin", PAGES.rig().setup().url(""))
                    .setData(Map.of("token", token)));
    Assertions.assertThat(in.ok()).as(in.text()).isTrue();
  }

  @Test
  void aLogoutLeavesNothingInAnyTab() {
    try (ChatPage chat = PAGES.openAs(BrowserPages.ALICE)) {
      chat.converse("The salary of Carol");
      assertThat(chat.page()).hasTitle("The salary of Carol · Holdfast");
      ChatPage other = chat.tab(PAGES.rig());
      assertThat(other.messages()).hasCount(1);
      other.box().fill("a draft on salaries");
      chat.page().locator("#logout").click();
      chat.awaitLoggedOut();
      other.awaitLoggedOut();
      assertThat(chat.page()).hasTitle("Holdfast");
      assertThat(other.page()).hasTitle("Holdfast");
      Assertions.assertThat(traces(chat) + traces(other)).doesNotContainIgnoringCase("salar");
      Assertions.assertThat(chat.evaluate("JSON.stringify(localStorage)").toString())
          .doesNotContainIgnoringCase("salar");
      chat.logIn(BrowserPages.BOB);
      other.awaitConnected();
      assertThat(other.messages()).hasCount(0);
      assertThat(other.page()).hasTitle("Holdfast");
      Assertions.assertThat(traces(other)).doesNotContainIgnoringCase("salar");
    }
  }

  @Test
  void tabsLoseNoMessagesOfEachOther() throws IOException {
    try (ChatPage chat = PAGES.openAs(BrowserPages.ALICE)) {
      ChatPage other = chat.tab(PAGES.rig());
      other.page().locator("#new-thread").click();
      other.awaitConnected();
      chat.context().setOffline(true);
      chat.say("from the first tab");
      chat.awaitNewest("retrying");
      other.say("from the second tab");
      assertThat(other.messages()).hasCount(1);
      String first = chat.threadId();
      String second = other.threadId();
      other.page().close();
      chat.context().setOffline(false);
      chat.awaitNewest("answered");
      ChatPage again = chat.tab(PAGES.rig());
      again.goTo(second);
      again.awaitNewest("answered");
      Assertions.assertThat(log(first)).containsOnlyOnce("\"from the first tab\"");
      Assertions.assertThat(log(second)).containsOnlyOnce("\"from the second tab\"");
      Assertions.assertThat(chat.evaluate("JSON.stringify(localStorage)").toString())
          .doesNotContain("tab");
    }
  }

  private static void say(String token, String thread, Map<String, Object> message)
      throws IOException {
    Answer said =
        new Http()
            .post(
                PAGES.rig().setup().url("/api/v1/threads/" + thread + "/messages"),
                Map.of("authorization", "Bearer " + token, "content-type", "application/json"),
                Json.write(message));
    Assertions.assertThat(said.status()).as(said.body()).isEqualTo(202);
  }

  private static Locator about(ChatPage chat, String button) {
    chat.page().locator("#about").click();
    assertThat(chat.page().locator("#about-usage")).not().isEmpty();
    return chat.page().locator(button);
  }

  @Test
  void whoWritesAndMayDoWhatIsSaidWhereSeveralTakePart() throws IOException {
    say(BrowserPages.ALICE, "garden", Map.of("text", "tulips", "shared", true));
    try (ChatPage alice = PAGES.openAs(BrowserPages.ALICE);
        ChatPage bob = PAGES.openAs(BrowserPages.BOB)) {
      bob.goTo("web:main:garden");
      alice.goTo("web:main:garden");
      bob.converse("roses");
      assertThat(bob.page().locator(".who")).hasText(new String[] {"alice", "You"});
      assertThat(alice.page().locator(".who")).hasText(new String[] {"You", "bob"});
      bob.picture("people-shared");
      assertThat(about(bob, "#delete")).isHidden();
      assertThat(about(alice, "#delete")).isVisible();
      alice.page().keyboard().press("Escape");
      bob.page().keyboard().press("Escape");
      bob.say("!tool shell {\"command\": \"echo roses\"}");
      Locator card = alice.page().locator(".approval-card");
      assertThat(card).containsText("Only bob or an operator can answer this.");
      assertThat(card.locator("button")).hasCount(0);
      alice.picture("people-approval");
      bob.page().locator(".approval-card .deny").click();
      bob.awaitNewest("answered");
      // Otherwise the list may notice first, and the question begins a conversation of his own.
      bob.page().route("**/api/v1/threads?*", Route::abort);
      say(BrowserPages.ALICE, "garden", Map.of("text", "no longer for everybody", "shared", false));
      bob.say("are you there?");
      assertThat(bob.page().locator("#trouble")).containsText("no longer shared with you");
      assertThat(bob.messages().filter(new Locator.FilterOptions().setHasText("roses")))
          .hasCount(0);
      Assertions.assertThat(bob.threadId()).isNotEqualTo("web:main:garden");
      bob.picture("people-unshared");
    }
  }

  @Test
  void aMalformedAddressOpensANewConversation() {
    try (ChatPage chat = PAGES.openAs(BrowserPages.ALICE)) {
      chat.page().navigate("about:blank"); // else the same document would only hear of it
      chat.page().navigate(PAGES.rig().setup().url("/chat#%"));
      chat.awaitConnected();
      chat.converse("still here");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }
}
