package dev.holdfast.tests.page;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * The page of one of three servers, in the one Chromium of all these tests: {@code CHROMIUM} names
 * it, or it is where Debian puts it. Each page has cookies and a storage of its own. One thread
 * uses them: {@link InBrowser}.
 */
final class BrowserPages
    implements BeforeAllCallback, TestInstancePreConstructCallback, AfterEachCallback {
  /** Of people who may chat. */
  static final String ALICE = "alice-token-0123456789abcdefgh";

  static final String BOB = "bob-token-0123456789abcdefghij";

  /** Of somebody who may only read. */
  static final String READER = "reader-token-0123456789abcdef";

  /** The model of the level {@code strategic}. */
  static final String LARGE_MODEL = "gpt-big";

  /** The most that may be attached. */
  static final int ATTACHMENT_MAX = 10_000;

  /** With tools, and an agent for plans, that ask nobody; the embedded model answers. */
  static final BrowserPages FREE = new BrowserPages(Served.shared(BrowserPages::configure));

  /** As {@link #FREE}, where a person has to approve what is unsafe. */
  static final BrowserPages SUPERVISED =
      new BrowserPages(
          Served.shared(
              rig -> {
                configure(rig);
                rig.setup().set("tools.autonomy", "supervised");
              }));

  /**
   * {@link #model} answers, outages are short, and {@link #LARGE_MODEL} may be chosen. Nobody but
   * {@code PlanPageTest} makes plans here.
   */
  static final BrowserPages MODEL =
      new BrowserPages(
          Served.sharedWithModel(
              rig -> {
                configure(rig);
                rig.setup()
                    .set("models.park_after_secs", 2)
                    .set("breakers.default.initial_backoff_ms", 1_000)
                    .set("breakers.default.max_backoff_ms", 2_000)
                    .set("models.retry.server_error.initial_backoff_ms", 200)
                    .set("models.levels.strategic", List.of("openai/" + LARGE_MODEL))
                    .set("models.choice", List.of("strategic"));
              }));

  private static final double PATIENCE_MILLIS = 20_000;
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(20);

  private final Served served;
  private @Nullable Chromium chromium;

  private static final class Chromium implements AutoCloseable {
    private final Path program;
    private final Playwright playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    private Browser browser;

    Chromium(Path program) {
      this.program = program;
      browser = launch();
    }

    private Browser launch() {
      return playwright
          .chromium()
          .launch(
              new BrowserType.LaunchOptions()
                  .setExecutablePath(program)
                  .setArgs(
                      List.of(
                          "--no-sandbox",
                          "--disable-gpu",
                          "--no-first-run",
                          "--disable-background-networking",
                          "--disable-component-update",
                          "--disable-sync",
                          "--disable-quic")));
    }

    /** Another one if it has crashed: that was a failure of one test, not of all after it. */
    Browser browser() {
      if (!browser.isConnected()) {
        browser = launch();
      }
      return browser;
    }

    @Override
    public void close() {
      playwright.close(); // with its browsers
    }
  }

  private BrowserPages(Served served) {
    this.served = served;
  }

  private static void configure(ServerRig rig) {
    rig.setup()
        .set("tools.shell.enabled", true)
        .set("extensions", List.of(new AgentScript(rig, "worker").declaration()))
        .set("attachments.max_bytes", ATTACHMENT_MAX)
        .set(
            "api.tokens",
            List.of(
                token("alice", ALICE, "chat"),
                token("bob", BOB, "chat"),
                token("reader", READER, "read")));
  }

  private static Map<String, Object> token(String name, String token, String scope) {
    return Map.of("name", name, "token", token, "scopes", List.of(scope));
  }

  /** Skips the tests, and says so, on a machine without a browser. */
  @Override
  public void beforeAll(ExtensionContext context) {
    String named = System.getenv("CHROMIUM");
    Path program = Path.of(named == null ? "/usr/bin/chromium" : named);
    Assumptions.assumeTrue(
        Files.isExecutable(program), "no browser at " + program + ": set CHROMIUM to one");
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    chromium =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.create(BrowserPages.class))
            .getOrComputeIfAbsent(program, Chromium::new, Chromium.class);
    served.beforeAll(context);
  }

  @Override
  public void preConstructTestInstance(
      TestInstanceFactoryContext factory, ExtensionContext context) {
    served.preConstructTestInstance(factory, context);
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    served.afterEach(context);
  }

  Browser browser() {
    return Objects.requireNonNull(chromium).browser();
  }

  ServerRig rig() {
    return served.rig();
  }

  ServerApi api() {
    return rig().api();
  }

  FakeModel model() {
    return served.model();
  }

  /** The end of a conversation's id, that only the running test has. */
  String thread() {
    return served.thread();
  }

  /** Says something in a conversation without its page, and waits for the answer. */
  void say(String thread, String text) throws IOException {
    String path = "/api/v1/threads/" + ServerApi.encode(thread) + "/messages";
    String event = api().post(path, Map.of("text", text)).json().path("event_id").asText();
    api().awaitState(event, ServerApi.FINAL, ANSWER_LIMIT);
  }

  ChatPage open() {
    return open(new Browser.NewContextOptions().setViewportSize(1200, 800));
  }

  ChatPage open(Browser.NewContextOptions options) {
    return ChatPage.open(rig(), browser(), options);
  }

  /** Logs in with a token. */
  ChatPage openAs(String token) {
    return ChatPage.openAs(rig(), browser(), token);
  }
}
