package dev.holdfast.channels;

import dev.holdfast.api.Markup;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.commonmark.ext.gfm.strikethrough.Strikethrough;
import org.commonmark.ext.gfm.strikethrough.StrikethroughExtension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.BlockQuote;
import org.commonmark.node.BulletList;
import org.commonmark.node.Code;
import org.commonmark.node.Emphasis;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.node.ThematicBreak;
import org.commonmark.parser.Parser;

/** Turns the Markdown that models write into what platforms show. Used by one thread. */
public final class MarkupRenderer {
  private static final List<org.commonmark.Extension> EXTENSIONS =
      List.of(TablesExtension.create(), StrikethroughExtension.create());

  /** What a link may lead to; the text of any other stays. */
  private static final Set<String> SCHEMES = Set.of("http", "https", "mailto");

  private final Markup markup;

  /** Within bold, italic or struck text, where some platforms take no code. */
  private int marked;

  private boolean emboldened;

  /** Within a quotation, where some platforms take no second one. */
  private int quoted;

  private MarkupRenderer(Markup markup) {
    this.markup = markup;
  }

  /**
   * Never fails: what cannot be understood is shown as it was written. Time grows with the text and
   * the depth of its nesting.
   */
  public static String render(String markdown, Markup markup) {
    MarkupRenderer renderer = new MarkupRenderer(markup);
    try {
      Node document = Parser.builder().extensions(EXTENSIONS).build().parse(markdown);
      return renderer.blocks(document);
    } catch (StackOverflowError _) { // nested deeper than anybody means it
      return new MarkupRenderer(markup).escaped(markdown);
    }
  }

  private boolean isHtml() {
    return markup == Markup.TELEGRAM_HTML || markup == Markup.MATRIX_HTML;
  }

  private static List<Node> children(Node of) {
    List<Node> all = new ArrayList<>();
    for (Node node = of.getFirstChild(); node != null; node = node.getNext()) {
      all.add(node);
    }
    return all;
  }

  private String blocks(Node of) {
    String between = markup == Markup.MATRIX_HTML ? "\n" : "\n\n";
    return children(of).stream().map(this::block).collect(Collectors.joining(between));
  }

  private String block(Node node) {
    return switch (node) {
      case Heading heading -> heading(heading);
      case BlockQuote quote -> quote(quote);
      case BulletList list -> list(list, list.isTight(), 0);
      case OrderedList list -> {
        Integer first = list.getMarkerStartNumber();
        yield list(list, list.isTight(), first == null ? 1 : Math.max(1, first));
      }
      case FencedCodeBlock code -> codeBlock(code.getLiteral(), code.getInfo());
      case IndentedCodeBlock code -> codeBlock(code.getLiteral(), "");
      case HtmlBlock html -> paragraph(escaped(html.getLiteral()));
      case ThematicBreak _ -> markup == Markup.MATRIX_HTML ? "<hr>" : "———";
      case TableBlock table -> table(table);
      default -> paragraph(inlines(node));
    };
  }

  private String paragraph(String text) {
    return markup == Markup.MATRIX_HTML ? "<p>" + text + "</p>" : text;
  }

  private String heading(Heading heading) {
    if (markup == Markup.MATRIX_HTML) {
      return "<h%1$d>%2$s</h%1$d>".formatted(heading.getLevel(), inlines(heading));
    }
    return bold(heading);
  }

  private String quote(BlockQuote quote) {
    quoted++;
    String inner = blocks(quote);
    quoted--;
    if (!isHtml()) {
      return inner.lines().map(line -> "> " + line).collect(Collectors.joining("\n"));
    }
    boolean isNested = quoted > 0 && markup == Markup.TELEGRAM_HTML;
    return isNested ? inner : "<blockquote>" + inner + "</blockquote>";
  }

  /** {@code first}: its number; 0 for bullets. */
  private String list(Node list, boolean isTight, int first) {
    List<String> items = new ArrayList<>();
    int number = first;
    for (Node item : children(list)) {
      String marker = first == 0 ? "• " : number++ + ". ";
      items.add(markup == Markup.MATRIX_HTML ? matrixItem(item, isTight) : item(item, marker));
    }
    if (markup != Markup.MATRIX_HTML) {
      return String.join(isTight ? "\n" : "\n\n", items);
    }
    String open = first == 0 ? "<ul>" : first == 1 ? "<ol>" : "<ol start=\"" + first + "\">";
    return open + String.join("", items) + (first == 0 ? "</ul>" : "</ol>");
  }

  private String matrixItem(Node item, boolean isTight) {
    String text =
        children(item).stream()
            .map(
                child ->
                    isTight && child instanceof org.commonmark.node.Paragraph
                        ? inlines(child)
                        : block(child))
            .collect(Collectors.joining("\n"));
    return "<li>" + text + "</li>";
  }

  private String item(Node item, String marker) {
    String text = children(item).stream().map(this::block).collect(Collectors.joining("\n"));
    String indent = " ".repeat(marker.length());
    return text.isEmpty() ? marker.strip() : marker + text.replace("\n", "\n" + indent);
  }

  private String codeBlock(String literal, String info) {
    String code = literal.stripTrailing();
    return switch (markup) {
      case TELEGRAM_HTML, MATRIX_HTML -> {
        String language = info.strip().split("\\s", 2)[0].replaceAll("[^A-Za-z0-9+#_.-]", "");
        yield language.isEmpty()
            ? "<pre>" + escaped(code) + "</pre>"
            : "<pre><code class=\"language-" + language + "\">" + escaped(code) + "</code></pre>";
      }
      case SLACK_MRKDWN, WHATSAPP -> "```\n" + unfenced(escaped(code)) + "\n```";
      case PLAIN -> code;
    };
  }

  /** Nothing in it ends the block that it stands in. */
  private static String unfenced(String code) {
    return code.replace("```", "`\u200B``");
  }

  private String table(TableBlock table) {
    List<List<String>> rows = new ArrayList<>();
    MarkupRenderer plain = markup == Markup.MATRIX_HTML ? this : new MarkupRenderer(Markup.PLAIN);
    for (Node part : children(table)) {
      for (Node row : children(part)) {
        if (row instanceof TableRow) {
          rows.add(
              children(row).stream()
                  .filter(TableCell.class::isInstance)
                  .map(plain::inlines)
                  .toList());
        }
      }
    }
    if (markup == Markup.MATRIX_HTML) {
      return rows.stream()
          .map(row -> "<tr><td>" + String.join("</td><td>", row) + "</td></tr>")
          .collect(Collectors.joining("", "<table>", "</table>"));
    }
    return codeBlock(aligned(rows), "");
  }

  private static String aligned(List<List<String>> rows) {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        int width = row.get(i).codePointCount(0, row.get(i).length());
        if (i == widths.size()) {
          widths.add(width);
        } else {
          widths.set(i, Math.max(widths.get(i), width));
        }
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        String cell = row.get(i).replace('\n', ' ');
        line.append(i == 0 ? "" : "  ").append(cell);
        line.append(" ".repeat(widths.get(i) - cell.codePointCount(0, cell.length())));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private String inlines(Node of) {
    return children(of).stream().map(this::inline).collect(Collectors.joining());
  }

  private String inline(Node node) {
    return switch (node) {
      case Text text -> escaped(text.getLiteral());
      case SoftLineBreak _ -> "\n";
      case HardLineBreak _ -> markup == Markup.MATRIX_HTML ? "<br>" : "\n";
      case Code code -> code(code.getLiteral());
      case StrongEmphasis strong -> bold(strong);
      case Emphasis emphasis -> wrapped(markedInlines(emphasis), "i", "_");
      case Strikethrough struck ->
          wrapped(markedInlines(struck), markup == Markup.MATRIX_HTML ? "del" : "s", "~");
      case Link link -> link(inlines(link), link.getDestination());
      case Image image -> link(inlines(image), image.getDestination());
      case HtmlInline html -> escaped(html.getLiteral());
      default -> inlines(node);
    };
  }

  /** Bold within bold is no bolder, and its marks would end the outer ones. */
  private String bold(Node of) {
    boolean isOuter = !emboldened;
    emboldened = true;
    String text = markedInlines(of);
    emboldened = !isOuter;
    return isOuter ? wrapped(text, "b", "*") : text;
  }

  private String markedInlines(Node of) {
    marked++;
    String text = inlines(of);
    marked--;
    return text;
  }

  private String wrapped(String text, String tag, String mark) {
    if (isHtml()) {
      return "<" + tag + ">" + text + "</" + tag + ">";
    }
    return markup == Markup.PLAIN || text.isBlank() ? text : mark + text + mark;
  }

  private String code(String literal) {
    if (markup == Markup.PLAIN) {
      return literal;
    }
    if (isHtml()) {
      boolean isTaken = marked == 0 || markup == Markup.MATRIX_HTML;
      return isTaken ? "<code>" + escaped(literal) + "</code>" : escaped(literal);
    }
    return "`" + escaped(literal).replace('`', 'ˋ') + "`";
  }

  private String link(String text, String destination) {
    int colon = destination.indexOf(':');
    String scheme = colon < 0 ? "" : destination.substring(0, colon).toLowerCase(Locale.ROOT);
    if (!SCHEMES.contains(scheme)) {
      return text;
    }
    return switch (markup) {
      case TELEGRAM_HTML, MATRIX_HTML ->
          "<a href=\"" + escaped(destination).replace("\"", "&quot;") + "\">" + text + "</a>";
      case SLACK_MRKDWN -> {
        String url = escaped(destination).replace("|", "%7C");
        yield text.isBlank() ? "<" + url + ">" : "<" + url + "|" + text.replace("|", "¦") + ">";
      }
      case WHATSAPP, PLAIN ->
          text.isBlank() || text.equals(destination)
              ? destination
              : text + " (" + destination + ")";
    };
  }

  private String escaped(String text) {
    return switch (markup) {
      case TELEGRAM_HTML, MATRIX_HTML, SLACK_MRKDWN ->
          text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
      case WHATSAPP, PLAIN -> text;
    };
  }
}
