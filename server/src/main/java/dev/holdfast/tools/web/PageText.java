package dev.holdfast.tools.web;

import java.util.Set;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeFilter;

/** A page as a text that reads well: headings, lists, links; nothing that a person does not see. */
final class PageText implements NodeFilter {
  private static final Set<String> HIDDEN_ELEMENTS =
      Set.of(
          "script",
          "style",
          "noscript",
          "template",
          "svg",
          "iframe",
          "object",
          "head",
          "canvas",
          "select",
          "dialog",
          "audio",
          "video");
  private static final Set<String> PARAGRAPHS =
      Set.of(
          "p",
          "div",
          "section",
          "article",
          "main",
          "header",
          "footer",
          "nav",
          "aside",
          "ul",
          "ol",
          "table",
          "blockquote",
          "pre",
          "form",
          "figure",
          "dl",
          "h1",
          "h2",
          "h3",
          "h4",
          "h5",
          "h6");
  private static final Set<String> LINES = Set.of("li", "tr", "br", "dt", "dd", "hr", "option");

  private final StringBuilder text = new StringBuilder();
  private int preformatted;

  private PageText() {}

  /** {@code url}: what its links are relative to. */
  static String of(String html, String url) {
    Document page = Jsoup.parse(html, url);
    PageText seen = new PageText();
    String title = page.title().strip();
    if (!title.isEmpty()) {
      seen.text.append("# ").append(title).append("\n\n");
    }
    page.body().filter(seen);
    return seen.tidy();
  }

  @Override
  public FilterResult head(Node node, int depth) {
    if (node instanceof TextNode words) {
      append(words.getWholeText());
      return FilterResult.CONTINUE;
    }
    if (!(node instanceof Element element)) {
      return FilterResult.CONTINUE;
    }
    String name = element.normalName();
    if (HIDDEN_ELEMENTS.contains(name) || isHidden(element)) {
      return FilterResult.SKIP_ENTIRELY;
    }
    if (PARAGRAPHS.contains(name)) {
      breakTo("\n\n");
    } else if (LINES.contains(name)) {
      breakTo("\n");
    }
    switch (name) {
      case "h1", "h2", "h3", "h4", "h5", "h6" ->
          text.append("#".repeat(name.charAt(1) - '0')).append(' ');
      case "li" -> text.append("- ");
      case "td", "th" -> append(" | ");
      case "pre" -> preformatted++;
      case "a" -> text.append(link(element).isEmpty() ? "" : "[");
      case "img" -> image(element);
      default -> {}
    }
    return FilterResult.CONTINUE;
  }

  @Override
  public FilterResult tail(Node node, int depth) {
    if (!(node instanceof Element element)) {
      return FilterResult.CONTINUE;
    }
    String name = element.normalName();
    if (name.equals("a") && !link(element).isEmpty()) {
      text.append("](").append(link(element)).append(')');
    } else if (name.equals("pre")) {
      preformatted--;
    }
    if (PARAGRAPHS.contains(name)) {
      breakTo("\n\n");
    }
    return FilterResult.CONTINUE;
  }

  private static boolean isHidden(Element element) {
    String style = element.attr("style").replace(" ", "").toLowerCase(java.util.Locale.ROOT);
    return element.hasAttr("hidden")
        || element.attr("aria-hidden").equals("true")
        || style.contains("display:none")
        || style.contains("visibility:hidden");
  }

  /** Empty for what leads nowhere on the web. */
  private static String link(Element element) {
    String url = element.absUrl("href");
    boolean web = url.startsWith("http://") || url.startsWith("https://");
    return web && !element.text().isBlank() ? url : "";
  }

  private void image(Element element) {
    String said = element.attr("alt").strip();
    if (!said.isEmpty()) {
      append("[image: " + said + "]");
    }
  }

  private void append(String words) {
    if (preformatted > 0) {
      text.append(words);
      return;
    }
    String flowing = words.replaceAll("[\\s\\u00a0]+", " ");
    boolean atStart = text.isEmpty() || Character.isWhitespace(text.charAt(text.length() - 1));
    text.append(atStart ? flowing.stripLeading() : flowing);
  }

  private void breakTo(String lines) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    text.setLength(end);
    int have = 0;
    while (have < lines.length() && have < end && text.charAt(end - 1 - have) == '\n') {
      have++;
    }
    if (end > 0) {
      text.append(lines, have, lines.length());
    }
  }

  private String tidy() {
    return text.toString().replaceAll("\n{3,}", "\n\n").strip();
  }
}
