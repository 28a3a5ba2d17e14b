package dev.holdfast.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Markup;
import dev.holdfast.api.channels.Splitter;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.jsoup.Jsoup;
import org.jsoup.safety.Safelist;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MarkupRendererTest {
  private static final String ALL =
      """
      # A **title** with `code`

      Some *italic*, **bold**, ~~struck~~ & <b>raw</b> and `a < b`.
      See [the page](https://example.org/?a=1&b=2) or [this](javascript:alert(1)).

      - one
      - two
        1. inner
        2. more

      > quoted
      > > twice

      ```java
      if (a < b) { x = "```"; }
      ```

      | name | n |
      |---|---|
      | ab | 1 |
      """;

  private static String render(Markup markup) {
    return MarkupRenderer.render(ALL, markup);
  }

  @Test
  void aTableThatIsCutIsAlignedInEachPart() {
    String table = "| name | n |\n|---|---|\n" + "| ab | 1 |\n".repeat(1000);
    List<String> parts = Splitter.split("Look:\n\n" + table, 3500);
    assertThat(parts).hasSizeGreaterThan(2);
    for (Markup markup : List.of(Markup.TELEGRAM_HTML, Markup.SLACK_MRKDWN, Markup.WHATSAPP)) {
      for (String part : parts) {
        String shown = MarkupRenderer.render(part, markup);
        assertThat(shown).contains("name  n\nab    1\n").doesNotContain("|");
        assertThat(shown.length()).isLessThanOrEqualTo(3500);
      }
    }
  }

  @Test
  void telegramGetsItsTagsAlone() {
    assertThat(render(Markup.TELEGRAM_HTML))
        .isEqualTo(
            """
            <b>A title with code</b>

            Some <i>italic</i>, <b>bold</b>, <s>struck</s> &amp; &lt;b&gt;raw&lt;/b&gt; and <code>a &lt; b</code>.
            See <a href="https://example.org/?a=1&amp;b=2">the page</a> or this.

            • one
            • two
              1. inner
              2. more

            <blockquote>quoted

            twice</blockquote>

            <pre><code class="language-java">if (a &lt; b) { x = "```"; }</code></pre>

            <pre>name  n
            ab    1</pre>""");
  }

  @Test
  void slackGetsItsMarks() {
    assertThat(render(Markup.SLACK_MRKDWN))
        .startsWith("*A title with `code`*\n\nSome _italic_, *bold*, ~struck~ &amp; &lt;b&gt;raw")
        .contains("See <https://example.org/?a=1&amp;b=2|the page> or this.")
        .contains("> quoted\n> \n> > twice")
        .contains("```\nif (a &lt; b) { x = \"`\u200B``\"; }\n```")
        .endsWith("```\nname  n\nab    1\n```");
  }

  @Test
  void whatsAppAndPlainTextKeepAddressesReadable() {
    assertThat(render(Markup.WHATSAPP))
        .contains("*bold*")
        .contains("the page (https://example.org/?a=1&b=2)");
    assertThat(render(Markup.PLAIN))
        .startsWith("A title with code\n\nSome italic, bold, struck & <b>raw</b> and a < b.")
        .contains("the page (https://example.org/?a=1&b=2)");
  }

  @Test
  void matrixGetsStructure() {
    assertThat(render(Markup.MATRIX_HTML))
        .startsWith("<h1>A <b>title</b> with <code>code</code></h1>")
        .contains("<ul><li>one</li><li>two\n<ol><li>inner</li><li>more</li></ol></li></ul>")
        .contains("<table><tr><td>name</td><td>n</td></tr><tr><td>ab</td><td>1</td></tr></table>");
  }

  @ParameterizedTest
  @EnumSource(Markup.class)
  void whatIsNestedWithoutEndIsShownAsItIs(Markup markup) {
    String deep = ">".repeat(50_000) + " x <y>";
    assertThat(MarkupRenderer.render(deep, markup)).contains("x").hasSizeLessThan(500_000);
    assertThat(MarkupRenderer.render("*".repeat(20_000) + "a", markup)).contains("a");
    assertThat(MarkupRenderer.render("[".repeat(20_000), markup)).contains("[");
  }

  /** Whatever a model says, the platform gets whole tags of those that it takes. */
  @Property(tries = 500)
  void noTextMakesATagOfItsOwn(
      @ForAll
          @StringLength(max = 200)
          @Chars({
            '<', '>', '&', '*', '_', '~', '`', '[', ']', '(', ')', '"', '\n', 'a', ' ', '-', '#',
            '|', '1', '.', ':', '/'
          })
          String text) {
    String html = MarkupRenderer.render(text, Markup.TELEGRAM_HTML);
    Safelist taken =
        new Safelist()
            .addTags("b", "i", "s", "code", "pre", "blockquote")
            .addAttributes("code", "class")
            .addAttributes("a", "href")
            .addProtocols("a", "href", "http", "https", "mailto");
    assertThat(Jsoup.isValid(html, taken)).as(html).isTrue();
  }
}
