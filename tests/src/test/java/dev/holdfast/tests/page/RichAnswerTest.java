package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Outside;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Code, formulas, task lists and tables of answers, friendly and hostile. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class RichAnswerTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.MODEL;

  static final String RICH =
      """
      ## What was measured

      The mean is $\\bar{x} = \\frac{1}{n} \\sum_{i=1}^{n} x_i$, for $5 or $10 a piece:

      $$
      f(x) = \\int_{-\\infty}^{\\infty} \\hat f(\\xi)\\, e^{2 \\pi i \\xi x} \\, d\\xi
      $$

      ```java
      /** Counts to three. */
      int count(String text) {
        return text.isEmpty() ? 0 : 3; // <b>not bold</b>
      }
      ```

      - [x] written down
      - [ ] looked at again

      | measurement | interpretation | reproducibility | recommendation |
      |---|---|---:|---|
      | throughput under sustained load | considerably better than anticipated | 97.3 % | investigate further |
      | latency | unremarkable | 88.1 % | leave |
      """;

  private static final List<String> HOSTILE =
      List.of(
          "$\\href{javascript:alert(1)}{click}$",
          "$\\url{javascript:alert(1)}$",
          "$\\includegraphics{https://evil.example/a.png}$",
          "$\\htmlStyle{position: fixed; inset: 0}{x}$",
          "$\\htmlClass{login}{x}$",
          "$\\text{<img src=https://evil.example/b.png onerror=alert(1)>}$",
          "$\\text{</math></span><script>alert(1)</script>}$",
          "$\\def\\a{\\a\\a}\\a$",
          "$\\rule{9999em}{9999em}$",
          "$" + "{".repeat(450) + "x" + "}".repeat(450) + "$",
          "$\\frac{1}{" + "\\frac{1}{".repeat(90) + "x" + "}".repeat(91) + "$",
          "\\(" + "\\sqrt{".repeat(150) + "x" + "}".repeat(150) + "\\)",
          """
          ```html
          <img src=https://evil.example/c.png onerror=alert(1)>
          <script>alert(1)</script>
          ```
          """,
          "```java\" onclick=\"alert(1)\nString a = \"</span><svg onload=alert(1)>\";\n```",
          "<span data-math=\"display\">\\href{javascript:alert(1)}{x}</span>");

  private static ChatPage open(int width, int height, ColorScheme colours) {
    return PAGES.open(
        new Browser.NewContextOptions()
            .setViewportSize(width, height)
            .setColorScheme(colours)
            .setPermissions(List.of("clipboard-read", "clipboard-write")));
  }

  private static void answer(ChatPage chat, String text) {
    PAGES.model().always(ModelScript.answer(_ -> text));
    chat.converse("go on");
  }

  @Test
  void aDisplayedFormulaMayStandWithinALine() {
    try (ChatPage chat = open(1200, 800, ColorScheme.LIGHT)) {
      answer(chat, "- one \\[d^2\\] and \\(e\\)\n- [f](https://example.org) \\$5");
      assertThat(chat.answers().last().locator("math")).hasCount(2);
      assertThat(chat.answers().last()).containsText("$5");
    }
  }

  /** Signs that turn the direction of writing, before a link and within it. */
  @Test
  void theHostOfALinkCannotBeWrittenBackwards() {
    try (ChatPage chat = open(1200, 800, ColorScheme.LIGHT)) {
      answer(chat, "see \u202e[the \u202ebank](https://moc.example/login) now");
      Object forwards =
          chat.answers()
              .last()
              .locator(".host")
              .evaluate(
                  """
                  (host) => {
                    const left = (at) => {
                      const range = document.createRange();
                      range.setStart(host.firstChild, at);
                      range.setEnd(host.firstChild, at + 1);
                      return range.getBoundingClientRect().left;
                    };
                    const at = host.textContent.indexOf('moc.example');
                    return left(at) < left(at + 1) && left(at + 1) < left(at + 10);
                  }
                  """);
      Assertions.assertThat(forwards).isEqualTo(true);
    }
  }

  private static boolean fits(ChatPage chat) {
    return (boolean) chat.evaluate("document.documentElement.scrollWidth <= innerWidth");
  }

  @Test
  void codeIsColouredFormulasAreSetAndTasksAreTicked() {
    try (ChatPage chat = open(1200, 1000, ColorScheme.LIGHT)) {
      answer(chat, RICH);
      Locator code = chat.answers().locator(".code");
      assertThat(code.locator(".hljs-keyword")).hasText("return");
      assertThat(code.locator(".hljs-comment").last()).hasText("// <b>not bold</b>");
      assertThat(chat.answers().locator("math")).hasCount(2);
      assertThat(chat.answers().locator("math mfrac")).hasCount(1);
      assertThat(chat.answers()).containsText("for $5 or $10 a piece");
      assertThat(chat.answers().locator(".task[aria-label='done']")).hasCount(1);
      assertThat(chat.answers().locator(".task[aria-label='not done']")).hasCount(1);
      chat.picture("rich-light");
      code.locator(".copy").click();
      assertThat(code.locator(".copy")).hasText("Copied");
      Assertions.assertThat((String) chat.evaluate("navigator.clipboard.readText()"))
          .startsWith("/** Counts to three. */\nint count")
          .contains("// <b>not bold</b>");
      Assertions.assertThat(chat.complaints()).isEmpty();
      Assertions.assertThat(chat.foreignRequests()).isEmpty();
    }
  }

  @Test
  void aTableOnAPhoneKeepsItsWordsAndScrollsSideways() {
    try (ChatPage chat = open(390, 780, ColorScheme.DARK)) {
      answer(chat, RICH);
      assertThat(chat.answers().locator("math")).hasCount(2);
      Assertions.assertThat(
              (boolean)
                  chat.evaluate(
                      """
                      () => {
                        const word = document.createRange();
                        word.selectNodeContents(document.querySelectorAll('.md th')[2]);
                        const frame = document.querySelector('.md .table');
                        return word.getClientRects().length === 1
                            && frame.scrollWidth > frame.clientWidth;
                      }
                      """))
          .isTrue();
      Assertions.assertThat(fits(chat)).isTrue();
      chat.picture("rich-phone-dark");
      chat.answers().locator("h2").scrollIntoViewIfNeeded();
      chat.picture("rich-phone-dark-top");
    }
  }

  @Test
  void hostileFormulasAndCodeStayText() {
    try (ChatPage chat = open(1200, 1000, ColorScheme.LIGHT)) {
      answer(chat, String.join("\n\n", HOSTILE));
      answer(chat, RICH); // by now both libraries are there
      answer(chat, String.join("\n\n", HOSTILE));
      assertThat(chat.answers()).hasCount(3);
      assertThat(chat.answers().last()).containsText("<script>alert(1)</script>");
      chat.picture("rich-hostile");
      assertThat(chat.answers().locator("img, svg, script, style, iframe, form, input, link, a"))
          .hasCount(0);
      assertThat(chat.answers().locator("[style], [onclick], [href], [src], .login, annotation"))
          .hasCount(0);
      Assertions.assertThat(
              (boolean)
                  chat.evaluate(
                      "[...document.querySelectorAll('.math')]"
                          + ".every(each => each.getBoundingClientRect().height < 1000)"))
          .isTrue();
      Assertions.assertThat(fits(chat)).isTrue();
      chat.awaitWhatItStarted();
      Assertions.assertThat(chat.foreignRequests()).isEmpty();
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  /** Otherwise a long answer flickers, and costs the square of its length. */
  @Test
  void whatIsFinishedOfAGrowingAnswerIsNotDrawnAgain() {
    try (ChatPage chat = open(1200, 1000, ColorScheme.LIGHT)) {
      answer(chat, RICH);
      assertThat(chat.answers().locator(".hljs-keyword").first()).isVisible();
      Object outcome =
          chat.page()
              .evaluate(
                  """
                  async (rich) => {
                    const main = document.querySelector('script[type=module]').src;
                    const { GrowingMarkdown, markdown } = await import(new URL('render.js', main));
                    const body = document.createElement('div');
                    const growing = new GrowingMarkdown(body);
                    const text = rich.repeat(6);
                    const first = new Map();
                    let redrawn = 0;
                    for (let end = 7; end < text.length + 7; end += 7) {
                      growing.show(text.slice(0, end));
                      [...body.children].slice(0, -1).forEach((node, index) => {
                        redrawn += (first.get(index) ?? node) === node ? 0 : 1;
                        first.set(index, node);
                      });
                    }
                    const whole = document.createElement('div');
                    whole.append(markdown(text));
                    return `redrawn ${redrawn}, coloured ${body.querySelectorAll('.code .hljs-keyword').length > 0},`
                        + ` the same ${body.textContent === whole.textContent}`;
                  }
                  """,
                  RICH);
      Assertions.assertThat(outcome).isEqualTo("redrawn 0, coloured true, the same true");
    }
  }

  /** An answer of any length is shown in a time that grows no faster than it. */
  @Test
  void countlessFormulasDoNotStallThePage() {
    try (ChatPage chat = open(1200, 1000, ColorScheme.LIGHT)) {
      answer(chat, "$\\sum_{i=1}^{n} x_i$ and ".repeat(1900));
      answer(chat, "$a ".repeat(15_000));
      answer(chat, "\\(a ".repeat(12_000));
      answer(chat, "$$a\n".repeat(12_000));
      answer(chat, "```js\n" + "a = '".repeat(9_000));
      answer(chat, RICH);
      assertThat(chat.answers().last().locator("math")).hasCount(2);
    }
  }
}
