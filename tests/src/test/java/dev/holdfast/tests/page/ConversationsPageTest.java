package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerApi;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whole conversations on the page, each test has conversations of its own. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class ConversationsPageTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.FREE;

  private static void choose(ChatPage chat, String item) {
    chat.page().locator("#about").click();
    chat.page().locator("#about-menu button").getByText(item).click();
  }

  private static Locator row(ChatPage chat, String title) {
    return chat.page().locator("#threads button", new Page.LocatorOptions().setHasText(title));
  }

  @Test
  void aConversationIsNamedByItsFirstMessageAndRenamed() {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("Where do larks nest in spring?");
      assertThat(row(chat, "Where do larks nest in spring?")).isVisible();
      choose(chat, "Rename");
      chat.page().locator("#rename-text").fill("Larks");
      chat.page().locator("#rename-text").press("Enter");
      assertThat(chat.page().locator("#title")).hasText("Larks");
      assertThat(row(chat, "Larks")).isVisible();
      chat.evaluate("localStorage.clear()");
      chat.page().reload();
      assertThat(chat.page().locator("#title")).hasText("Larks");
      chat.picture("conversations-light");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  /** What start.js asks for ahead of the modules is theirs, and not asked for again by them. */
  @Test
  void whatIsSeenFirstIsAskedForOnce() {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("How old do oaks get?");
      Queue<String> asked = new ConcurrentLinkedQueue<>();
      chat.page()
          .onRequest(
              request -> {
                if (request.isNavigationRequest()) {
                  asked.clear(); // what the page before has asked for
                }
                asked.add(URI.create(request.url()).getPath());
              });
      chat.page().reload();
      chat.awaitConnected();
      assertThat(row(chat, "How old do oaks get?")).isVisible();
      String log = "/api/v1/threads/" + chat.threadId() + "/log";
      Assertions.assertThat(asked.stream().filter(path -> path.startsWith("/api/v1")).limit(3))
          .containsExactlyInAnyOrder("/api/v1/status", log, "/api/v1/threads");
      Assertions.assertThat(asked).containsOnlyOnce("/api/v1/status", log, "/api/v1/threads");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void anArchivedConversationIsOutOfSightUntilItsNextMessage() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("Recipes for rye bread");
      String thread = chat.threadId();
      choose(chat, "Archive");
      assertThat(row(chat, "Recipes for rye bread")).hasCount(0);
      chat.page().locator("#archived").click();
      assertThat(row(chat, "Recipes for rye bread")).isVisible();
      chat.page().locator("#archived").click();
      PAGES.say(thread, "and for spelt");
      assertThat(row(chat, "Recipes for rye bread")).isVisible();
    }
  }

  @Test
  void aDeletedConversationIsGone() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("A secret about badgers");
      String path = "/api/v1/threads/" + ServerApi.encode(chat.threadId());
      choose(chat, "Delete");
      chat.picture("conversations-delete");
      chat.page().locator("#delete-form [type=submit]").click();
      assertThat(row(chat, "A secret about badgers")).hasCount(0);
      assertThat(chat.messages()).hasCount(0);
      Answer gone = PAGES.api().get(path);
      Assertions.assertThat(gone.status()).isEqualTo(404);
      Assertions.assertThat(PAGES.api().get("/api/v1/search?q=badgers").json().path("hits"))
          .isEmpty();
    }
  }

  @Test
  void whatWasSaidLongAgoIsFoundByTheKeyboardAlone() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("The heron stands in the reeds");
      for (int i = 0; i < 3; i++) {
        chat.converse("filler " + i);
      }
      String thread = chat.threadId();
      chat.page().locator("#new-thread").click();
      chat.box().press("Control+k");
      Locator hit =
          chat.page().locator("#hits button", new Page.LocatorOptions().setHasText("heron"));
      Await.until(
          "the index knows it",
          Duration.ofSeconds(20),
          () -> !PAGES.api().get("/api/v1/search?q=HERON%20ree").json().path("hits").isEmpty());
      chat.page().locator("#words").fill("HERON ree");
      assertThat(hit.last().locator("mark")).hasText(new String[] {"heron", "reeds"});
      chat.picture("conversations-search");
      chat.page().locator("#words").press("ArrowDown");
      chat.page().keyboard().press("Enter");
      assertThat(chat.page().locator(".msg.found")).containsText("heron");
      Assertions.assertThat(chat.threadId()).isEqualTo(thread);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void whatAnswersTookIsSaidOnDemand() {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("What does a swift weigh?");
      Locator model = chat.page().locator(".cost");
      assertThat(model).hasText("echo");
      model.click();
      assertThat(chat.page().locator(".cost-said")).containsText("1 model call, ");
      chat.page().reload();
      assertThat(model).hasText("echo");
      chat.page().locator("#about").click();
      assertThat(chat.page().locator("#about-usage")).containsText("1 model call, ");
      chat.picture("conversations-cost");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void aConversationIsSavedAsMarkdownAndJson() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("Export me, please");
      Download markdown = chat.page().waitForDownload(() -> choose(chat, "Markdown"));
      Assertions.assertThat(markdown.suggestedFilename()).isEqualTo("export-me-please.md");
      Assertions.assertThat(Files.readString(markdown.path()))
          .startsWith("# Export me, please\n")
          .contains("\n## Holdfast, ");
      Download json = chat.page().waitForDownload(() -> choose(chat, "JSON"));
      Assertions.assertThat(Files.readString(json.path()))
          .contains("\"text\" : \"Export me, please\"");
    }
  }

  @Test
  void aLongConversationIsReadBackToItsBeginning() throws IOException {
    String thread = "long-talk";
    for (int i = 0; i < 130; i++) {
      PAGES
          .api()
          .post(
              "/api/v1/threads/" + thread + "/messages",
              Map.of("text", "message number " + i + "."));
    }
    PAGES.say(thread, "the last one");
    try (ChatPage chat =
        PAGES.open(
            new Browser.NewContextOptions()
                .setViewportSize(390, 780)
                .setColorScheme(ColorScheme.DARK))) {
      chat.page().evaluate("location.hash = 'web%3Amain%3Along-talk'");
      chat.awaitText(chat.answers().last(), "the last one");
      assertThat(chat.page().locator("#earlier")).isVisible();
      chat.page().locator("#earlier").click();
      assertThat(chat.messages()).hasCount(131);
      chat.picture("conversations-phone-dark");
    }
  }
}
