package dev.holdfast.tests.page;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A Chromium of this machine for the tests of one class: {@code CHROMIUM} names it, or it is where
 * Debian puts it. One thread uses it.
 */
final class Browsers implements BeforeAllCallback, AfterAllCallback {
  private static final double PATIENCE_MILLIS = 20_000;

  private @Nullable Playwright playwright;
  private @Nullable Browser browser;

  private void launch(Path chromium) {
    Playwright launched =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    playwright = launched;
    browser =
        launched
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

  /** Skips the tests, and says so, on a machine without a browser. */
  @Override
  public void beforeAll(ExtensionContext context) {
    String named = System.getenv("CHROMIUM");
    Path chromium = Path.of(named == null ? "/usr/bin/chromium" : named);
    Assumptions.assumeTrue(
        Files.isExecutable(chromium), "no browser at " + chromium + ": set CHROMIUM to one");
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    launch(chromium);
  }

  Browser browser() {
    return Objects.requireNonNull(browser);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Playwright launched = playwright;
    if (launched != null) {
      launched.close(); // with its browsers
    }
  }
}
