package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The chat page in a browser, as a person uses it; keeps what the person would not see. One thread
 * uses it.
 */
final class ChatPage implements AutoCloseable {
  private static final double PATIENCE_MILLIS = 20_000;

  private final String usedAddress;
  private final BrowserContext context;
  private final Page page;
  private final List<String> foreign = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();

  private ChatPage(ServerRig rig, BrowserContext context, String address) {
    usedAddress = address;
    this.context = context;
    page = context.newPage();
    page.setDefaultTimeout(PATIENCE_MILLIS);
    String origin = rig.setup().url("/");
    page.onRequest(
        request -> {
          if (!request.url().startsWith(origin)) {
            foreign.add(request.url());
          }
        });
    page.onPageError(error -> complaints.add("error: " + error));
    page.onDialog(
        dialog -> {
          complaints.add("dialog: " + dialog.message());
          dialog.dismiss();
        });
    page.onConsoleMessage(
        message -> {
          if (message.text().contains("Content Security Policy")) {
            complaints.add(message.text());
          }
        });
  }

  /** Logs in by a link that works once. */
  static ChatPage open(ServerRig rig, Browser browser, Browser.NewContextOptions options) {
    ChatPage chat = new ChatPage(rig, browser.newContext(options), loginAddress(rig));
    chat.page.navigate(chat.usedAddress);
    chat.awaitConnected();
    return chat;
  }

  /** Logs in with a token. */
  static ChatPage openAs(ServerRig rig, Browser browser, String token) {
    ChatPage chat =
        new ChatPage(
            rig,
            browser.newContext(new Browser.NewContextOptions().setViewportSize(1200, 800)),
            rig.setup().url("/chat"));
    chat.page.navigate(chat.usedAddress);
    chat.logIn(token);
    return chat;
  }

  /** Another tab of the same browser, at the same address; the browser is closed with either. */
  ChatPage tab(ServerRig rig) {
    ChatPage chat = new ChatPage(rig, context, page.url());
    chat.page.navigate(chat.usedAddress);
    chat.awaitConnected();
    return chat;
  }

  /** By the form. */
  void logIn(String token) {
    page.locator("#token").fill(token);
    page.locator("#token").press("Enter");
    awaitConnected();
  }

  void awaitLoggedOut() {
    assertThat(page.locator("#login-form"))
        .isVisible(new LocatorAssertions.IsVisibleOptions().setTimeout(PATIENCE_MILLIS));
  }

  /** Opens a conversation by its address. */
  void goTo(String threadId) {
    Object _ = page.evaluate("id => (location.hash = encodeURIComponent(id))", threadId);
    awaitConnected();
  }

  /** A new login address, as {@code holdfast login-link} prints it. */
  private static String loginAddress(ServerRig rig) {
    try {
      return rig.api().post("/api/v1/login-links", Map.of()).json().path("url").asText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address that this page logged in by. */
  String usedAddress() {
    return usedAddress;
  }

  Page page() {
    return page;
  }

  BrowserContext context() {
    return context;
  }

  /** The id of the open conversation. */
  String threadId() {
    return URI.create(page.url()).getFragment();
  }

  Locator box() {
    return page.locator("#say");
  }

  Locator messages() {
    return page.locator(".msg.user");
  }

  /** Finished answers; one that is still being written is not among them. */
  Locator answers() {
    return page.locator(".msg.answer:not(.live)");
  }

  Locator growing() {
    return page.locator(".msg.answer.live");
  }

  /** All that was said, in the order of the page. */
  Locator said() {
    return page.locator(".msg");
  }

  Locator notices() {
    return page.locator(".msg.notice");
  }

  void say(String text) {
    box().fill(text);
    box().press("Enter");
  }

  /** Into the folder of {@code -Dholdfast.pictures}, if there is one. */
  void picture(String name) {
    String folder = System.getProperty("holdfast.pictures", "");
    if (!folder.isEmpty()) {
      page.screenshot(new Page.ScreenshotOptions().setPath(Path.of(folder, name + ".png")));
    }
  }

  /** The same of a part of the page. */
  void picture(String name, Locator part) {
    String folder = System.getProperty("holdfast.pictures", "");
    if (!folder.isEmpty()) {
      part.screenshot(new Locator.ScreenshotOptions().setPath(Path.of(folder, name + ".png")));
    }
  }

  void awaitConnected() {
    awaitConnection("open");
  }

  void awaitConnection(String state) {
    Locator indicator = page.locator("#connection[data-state=" + state + "]");
    assertThat(indicator)
        .hasCount(1, new LocatorAssertions.HasCountOptions().setTimeout(PATIENCE_MILLIS));
  }

  /** Waits for the mark below the newest message. */
  void awaitNewest(String state) {
    assertThat(messages().last())
        .hasAttribute(
            "data-state",
            state,
            new LocatorAssertions.HasAttributeOptions().setTimeout(PATIENCE_MILLIS));
  }

  void awaitText(Locator where, String text) {
    assertThat(where)
        .containsText(
            text, new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE_MILLIS));
  }

  /** Says something and waits for the whole answer. */
  void converse(String text) {
    say(text);
    awaitNewest("answered");
  }

  /**
   * Returns when what the page asked for before now has become known: an image that is asked for
   * last, and is missing, is so too.
   */
  void awaitWhatItStarted() {
    Object _ =
        evaluate(
            """
            () => new Promise((done) => {
              const last = new Image();
              last.onerror = done;
              last.src = '/assets/missing.png';
            }).then(() => true)
            """);
  }

  Object evaluate(String script) {
    return page.evaluate(script);
  }

  /** Addresses of other hosts that the page asked for. */
  List<String> foreignRequests() {
    return List.copyOf(foreign);
  }

  /** Errors of scripts, dialogs, and what the content policy had to stop. */
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  @Override
  public void close() {
    context.close();
  }
}
