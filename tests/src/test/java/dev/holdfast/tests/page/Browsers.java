package dev.holdfast.tests.page;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * A Chromium of this machine: {@code CHROMIUM} names it, or it is where Debian puts it. One thread
 * uses it.
 */
final class Browsers implements AutoCloseable {
  private static final double PATIENCE_MILLIS = 20_000;

  private final Playwright playwright;
  private final Browser browser;

  private Browsers(Path chromium) {
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(chromium)
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

  /** Skips the test, and says so, on a machine without a browser. */
  static Browsers open() {
    String named = System.getenv("CHROMIUM");
    Path chromium = Path.of(named == null ? "/usr/bin/chromium" : named);
    Assumptions.assumeTrue(
        Files.isExecutable(chromium), "no browser at " + chromium + ": set CHROMIUM to one");
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    return new Browsers(chromium);
  }

  Browser browser() {
    return browser;
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
