package dev.holdfast.cli;

import java.util.ArrayList;
import java.util.List;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.BlockQuote;
import org.commonmark.node.BulletList;
import org.commonmark.node.Code;
import org.commonmark.node.Emphasis;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.ListBlock;
import org.commonmark.node.ListItem;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.node.ThematicBreak;
import org.commonmark.parser.Parser;

/**
 * Markdown as a terminal shows it: without its marks, headings and strong words bold, code apart.
 * The text must be {@link VisibleText}.
 */
final class MarkdownText {
  private static final Parser PARSER =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();

  private MarkdownText() {}

  /** Lines without an end of the last one. */
  static String render(String markdown, Terminal terminal) {
    return blocks(PARSER.parse(markdown), terminal);
  }

  private static String blocks(Node parent, Terminal terminal) {
    List<String> blocks = new ArrayList<>();
    for (Node node = parent.getFirstChild(); node != null; node = node.getNext()) {
      blocks.add(block(node, terminal));
    }
    boolean tight = parent instanceof ListItem && ((ListBlock) parent.getParent()).isTight();
    return String.join(tight ? "\n" : "\n\n", blocks);
  }

  private static String block(Node node, Terminal terminal) {
    return switch (node) {
      case Heading heading -> terminal.bold(inline(heading, terminal));
      case Paragraph paragraph -> inline(paragraph, terminal);
      case FencedCodeBlock code -> code(code.getLiteral(), terminal);
      case IndentedCodeBlock code -> code(code.getLiteral(), terminal);
      case HtmlBlock html -> html.getLiteral().strip();
      case ThematicBreak _ -> terminal.dim("─".repeat(20));
      case BlockQuote quote -> "│ " + blocks(quote, terminal).replace("\n", "\n│ ");
      case BulletList list -> items(list, terminal, 0);
      case OrderedList list ->
          items(
              list,
              terminal,
              list.getMarkerStartNumber() == null ? 1 : list.getMarkerStartNumber());
      case TableBlock table -> table(table, terminal);
      default -> inline(node, terminal);
    };
  }

  private static String code(String literal, Terminal terminal) {
    return "    " + terminal.code(literal.stripTrailing()).replace("\n", "\n    ");
  }

  /** {@code first}: of an ordered list; 0 for one with points. */
  private static String items(ListBlock list, Terminal terminal, int first) {
    List<String> lines = new ArrayList<>();
    int number = first;
    for (Node item = list.getFirstChild(); item != null; item = item.getNext()) {
      String mark = first == 0 ? "• " : number++ + ". ";
      lines.add(mark + blocks(item, terminal).replace("\n", "\n" + " ".repeat(mark.length())));
    }
    return String.join(list.isTight() ? "\n" : "\n\n", lines);
  }

  private static String table(TableBlock table, Terminal terminal) {
    List<List<String>> rows = new ArrayList<>();
    for (Node part = table.getFirstChild(); part != null; part = part.getNext()) {
      for (Node row = part.getFirstChild(); row != null; row = row.getNext()) {
        List<String> cells = new ArrayList<>();
        for (Node cell = row.getFirstChild(); cell != null; cell = cell.getNext()) {
          cells.add(new Inline(terminal, false).of(cell));
        }
        rows.add(cells);
      }
    }
    int columns = rows.getFirst().size();
    List<List<String>> equal = rows.stream().skip(1).filter(row -> row.size() == columns).toList();
    List<String> lines = new ArrayList<>(Table.lines(rows.getFirst(), equal, 0));
    lines.set(0, terminal.bold(lines.getFirst()));
    return String.join("\n", lines);
  }

  private static String inline(Node node, Terminal terminal) {
    return new Inline(terminal, true).of(node);
  }

  /** The words of one block. */
  private static final class Inline extends AbstractVisitor {
    private final Terminal terminal;
    private final boolean styled;
    private StringBuilder text = new StringBuilder();

    Inline(Terminal terminal, boolean styled) {
      this.terminal = terminal;
      this.styled = styled;
    }

    String of(Node node) {
      StringBuilder outer = text;
      text = new StringBuilder();
      visitChildren(node);
      String inner = text.toString();
      text = outer;
      return inner;
    }

    @Override
    public void visit(Text node) {
      text.append(node.getLiteral());
    }

    @Override
    public void visit(Code node) {
      text.append(styled ? terminal.code(node.getLiteral()) : node.getLiteral());
    }

    @Override
    public void visit(StrongEmphasis node) {
      String inner = of(node);
      text.append(styled ? terminal.bold(inner) : inner);
    }

    @Override
    public void visit(Emphasis node) {
      text.append(of(node));
    }

    @Override
    public void visit(Link node) {
      String inner = of(node);
      text.append(inner);
      if (!inner.equals(node.getDestination())) {
        text.append(" (").append(node.getDestination()).append(')');
      }
    }

    @Override
    public void visit(HtmlInline node) {
      text.append(node.getLiteral());
    }

    @Override
    public void visit(SoftLineBreak node) {
      text.append('\n');
    }

    @Override
    public void visit(HardLineBreak node) {
      text.append('\n');
    }
  }
}
