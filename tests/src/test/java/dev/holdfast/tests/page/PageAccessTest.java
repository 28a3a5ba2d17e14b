package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ReducedMotion;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The page on a phone, in the dark, by keyboard alone and by ear; with the embedded model, as it is
 * first met.
 */
@InBrowser
class PageAccessTest {

  @RegisterExtension static final BrowserPages PAGES = BrowserPages.FREE;

  @Test
  void aPhoneShowsEverythingWithoutScrollingSideways() {
    Browser.NewContextOptions phone =
        new Browser.NewContextOptions()
            .setViewportSize(320, 640)
            .setIsMobile(true)
            .setHasTouch(true)
            .setDeviceScaleFactor(2);
    try (ChatPage chat = PAGES.open(phone)) {
      chat.box().fill("a-word-that-is-far-too-long-for-any-phone-" + "x".repeat(200));
      chat.box().press("Enter"); // a touch keyboard's Enter starts a line
      assertThat(chat.messages()).hasCount(0);
      chat.page().locator("#send").tap();
      chat.awaitNewest("answered");
      Assertions.assertThat(chat.evaluate("document.documentElement.scrollWidth <= innerWidth"))
          .isEqualTo(true);
      Locator drawer = chat.page().locator("#drawer");
      assertThat(drawer).isHidden();
      chat.page().locator("#menu").tap();
      assertThat(drawer).isVisible();
      chat.page().locator("#new-thread").tap();
      assertThat(drawer).isHidden();
      assertThat(chat.messages()).hasCount(0);
    }
  }

  @Test
  void theKeyboardAloneReachesEverything() {
    try (ChatPage chat = PAGES.openAs(BrowserPages.ALICE)) { // she has no list of conversations yet
      goBackTo(chat, chat.page().locator(".skip"));
      chat.page().keyboard().press("Enter");
      assertThat(chat.box()).isFocused();
      chat.page().keyboard().type("one line");
      chat.page().keyboard().press("Shift+Enter");
      chat.page().keyboard().type("two lines");
      assertThat(chat.box()).hasValue("one line\ntwo lines");
      chat.page().keyboard().press("Enter");
      chat.awaitNewest("answered");
      assertThat(chat.box()).hasValue("");
      Locator mark = chat.messages().locator(".state");
      goBackTo(chat, mark);
      chat.page().keyboard().press("Enter");
      assertThat(chat.page().locator("#story")).isVisible();
      chat.page().keyboard().press("Escape");
      assertThat(mark).isFocused();
    }
  }

  @Test
  void aScreenReaderHearsFinishedMessagesOnce() {
    Browser.NewContextOptions calm =
        new Browser.NewContextOptions().setReducedMotion(ReducedMotion.REDUCE);
    try (ChatPage chat = PAGES.open(calm)) {
      Locator log = chat.page().locator("[role=log]");
      assertThat(log).hasAttribute("aria-live", "polite");
      assertThat(log).hasAttribute("aria-relevant", "additions");
      chat.evaluate(
          """
          window.heard = [];
          new MutationObserver((changes) => changes
            .flatMap((change) => [...change.addedNodes])
            .filter((node) => node.nodeType === 1 && node.matches('.msg') && !node.ariaHidden)
            .forEach((node) => window.heard.push(node.className)))
            .observe(document.querySelector('#log'), { childList: true });
          """);
      chat.converse("can you hear me?");
      assertThat(chat.answers()).hasCount(1);
      Assertions.assertThat(chat.evaluate("window.heard.length")).isEqualTo(2);
      String unlabelled =
          "[...document.querySelectorAll('button, input, textarea')].filter((node) =>"
              + " !node.ariaLabel && !node.innerText?.trim() && !node.labels?.length).map((node) =>"
              + " node.outerHTML)";
      Assertions.assertThat(chat.evaluate(unlabelled).toString()).isEqualTo("[]");
    }
  }

  private static void goBackTo(ChatPage chat, Locator target) {
    for (int tabs = 0; tabs < 20 && !isFocused(target); tabs++) {
      chat.page().keyboard().press("Shift+Tab");
    }
    assertThat(target).isFocused();
  }

  private static boolean isFocused(Locator locator) {
    return (Boolean) locator.evaluate("node => node === document.activeElement");
  }
}
