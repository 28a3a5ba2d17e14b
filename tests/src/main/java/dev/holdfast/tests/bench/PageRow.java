package dev.holdfast.tests.bench;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * The chat page in a browser with many conversations and a long one, and the search over all their
 * messages.
 */
final class PageRow implements Row {
  private static final int CLIENTS = 16;
  private static final int LOADS = 9;
  private static final int SEARCHES = 300;
  private static final String LONG = "web:main:bench-long";
  private static final Path CHROMIUM =
      Path.of(System.getenv().getOrDefault("CHROMIUM", "/usr/bin/chromium"));

  /** When the newest messages of the conversation stand on the page. */
  private static final String WATCH =
      """
      addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
        if (!window.shownAt && document.querySelector('#log > .msg')) {
          requestAnimationFrame(() => { window.shownAt ??= performance.now(); });
        }
      }).observe(document.getElementById('log'), { childList: true }));
      """;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    int threads = scale.count(2_000, 100);
    int asked = scale.count(50_000, 2_000);
    int inOne = scale.count(5_000, 500);
    try (ServerRig rig = new ServerRig(false)) {
      rig.start();
      post(rig, List.of(LONG));
      String paintedAlone = "no browser";
      boolean hasBrowser = Files.isExecutable(CHROMIUM);
      if (hasBrowser) {
        paintedAlone = paint(rig).painted();
      }
      fill(rig, threads, asked, inOne);
      String many = String.format(Locale.ROOT, "%,d messages and their answers", asked);
      if (hasBrowser) {
        Loads loads = paint(rig);
        report.figure(
            String.format(Locale.ROOT, "first paint, %,d conversations", threads),
            loads.painted(),
            "one conversation: " + paintedAlone);
        report.figure(
            String.format(Locale.ROOT, "the newest of %,d messages on the page", inOne),
            loads.shown(),
            "");
      } else {
        report.line("no browser at " + CHROMIUM + ": set CHROMIUM to one");
      }
      report.figure("search for a word of one of " + many, search(rig, "needle"), "");
      report.figure("search for a beginning, " + many, search(rig, "need"), "");
      report.figure("search for a word of each of " + many, search(rig, "harvest"), "");
    }
  }

  /** Medians of several loads. */
  private record Loads(String painted, String shown) {}

  private static Loads paint(ServerRig rig) throws IOException {
    double[] painted = new double[LOADS];
    double[] shown = new double[LOADS];
    try (Playwright playwright =
            Playwright.create(
                new Playwright.CreateOptions()
                    .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser =
            playwright
                .chromium()
                .launch(
                    new BrowserType.LaunchOptions()
                        .setExecutablePath(CHROMIUM)
                        .setArgs(List.of("--no-sandbox", "--disable-gpu")));
        BrowserContext context = browser.newContext()) {
      Page page = context.newPage();
      page.navigate(rig.api().post("/api/v1/login-links", Map.of()).json().path("url").asText());
      page.waitForSelector("body[data-view=chat]");
      page.addInitScript(WATCH);
      for (int i = 0; i < LOADS; i++) {
        page.navigate("about:blank");
        page.navigate(rig.setup().url("/chat#" + ServerApi.encode(LONG)));
        page.waitForFunction(
            "() => window.shownAt && performance.getEntriesByName('first-contentful-paint')[0]");
        shown[i] = ((Number) page.evaluate("window.shownAt")).doubleValue();
        painted[i] =
            ((Number)
                    page.evaluate(
                        "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
                .doubleValue();
      }
    }
    return new Loads(StartRow.median(painted), StartRow.median(shown));
  }

  /** Messages of the long conversation among those of all others, as people write them. */
  private static void fill(ServerRig rig, int threads, int asked, int inOne) throws Exception {
    List<String> order = new ArrayList<>();
    int rest = asked - inOne;
    for (int i = 0; i < Math.max(rest, inOne); i++) {
      if (i < rest) {
        order.add("web:main:bench-" + i % threads);
      }
      if (i < inOne) {
        order.add(LONG);
      }
    }
    post(rig, order);
    rig.api().awaitQuiet(Duration.ofMinutes(30));
    String word = "lastly" + System.nanoTime();
    String path = "/api/v1/threads/bench-last/messages";
    Answer _ = rig.api().post(path, Map.of("text", "needle " + word));
    Await.until(
        "all is indexed",
        Duration.ofMinutes(30),
        () -> !rig.api().get("/api/v1/search?q=" + word).json().path("hits").isEmpty());
  }

  private static void post(ServerRig rig, List<String> threads) throws Exception {
    try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<Answer>> posted = new ArrayList<>();
      for (int i = 0; i < threads.size(); i++) {
        String path = "/api/v1/threads/" + ServerApi.encode(threads.get(i)) + "/messages";
        String text = "Message " + i + " about the harvest of field " + i % 997 + ", row " + i % 89;
        posted.add(clients.submit(() -> accepted(rig, path, text)));
      }
      for (Future<Answer> one : posted) {
        Answer _ = one.get();
      }
    }
  }

  /** A server that is full is asked again. */
  private static Answer accepted(ServerRig rig, String path, String text) throws IOException {
    Answer answer = rig.api().post(path, Map.of("text", text));
    while (answer.status() == 503 || answer.status() == 429) {
      Await.pause(Duration.ofMillis(200));
      answer = rig.api().post(path, Map.of("text", text));
    }
    if (!answer.isAccepted()) {
      throw new IllegalStateException(path + ": " + answer.status() + " " + answer.body());
    }
    return answer;
  }

  private static String search(ServerRig rig, String words) throws IOException {
    Histogram nanos = new Histogram(3);
    for (int i = 0; i < SEARCHES; i++) {
      long start = System.nanoTime();
      Answer answer = rig.api().get("/api/v1/search?q=" + words);
      if (answer.json().path("hits").isEmpty()) {
        throw new IllegalStateException(words + " was not found: " + answer.body());
      }
      if (i >= SEARCHES / 3) { // the JIT is warm by then
        nanos.recordValue(System.nanoTime() - start);
      }
    }
    return Report.percentiles(nanos);
  }
}
