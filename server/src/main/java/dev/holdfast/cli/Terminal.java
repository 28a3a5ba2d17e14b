package dev.holdfast.cli;

import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a command writes. Colours and progress appear on a terminal only; what came from outside
 * loses its control characters, for they could rewrite the screen. Thread-safe.
 */
final class Terminal {
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;
  private final boolean colours;
  private boolean progressShown;

  /**
   * @param terminal whether a person sits in front of it
   */
  Terminal(PrintWriter out, PrintWriter err, boolean terminal, @Nullable String noColour) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
    this.colours = terminal && (noColour == null || noColour.isEmpty());
  }

  boolean isTerminal() {
    return terminal;
  }

  PrintWriter out() {
    return out;
  }

  PrintWriter err() {
    return err;
  }

  synchronized void line(String text) {
    clearProgress();
    out.println(text);
    out.flush();
  }

  synchronized void part(String text) {
    out.print(text);
    out.flush();
  }

  /** For what is no result: it must not end up in a pipe. */
  synchronized void aside(String text) {
    clearProgress();
    err.println(text);
    err.flush();
  }

  /** One line that replaces itself; nothing in a pipe. */
  synchronized void progress(String text) {
    if (terminal) {
      err.print("\r\u001b[K" + text);
      err.flush();
      progressShown = true;
    }
  }

  synchronized void clearProgress() {
    if (progressShown) {
      err.print("\r\u001b[K");
      err.flush();
      progressShown = false;
    }
  }

  String good(String text) {
    return coloured("32", text);
  }

  String warning(String text) {
    return coloured("33", text);
  }

  String bad(String text) {
    return coloured("31", text);
  }

  String bold(String text) {
    return coloured("1", text);
  }

  String dim(String text) {
    return coloured("2", text);
  }

  /** Rows under a heading, each column as wide as its widest cell; the last one as it is. */
  void table(List<String> heading, List<List<String>> rows) {
    int[] widths = new int[heading.size()];
    for (int column = 0; column < widths.length; column++) {
      widths[column] = heading.get(column).length();
      for (List<String> row : rows) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    line(dim(row(heading, widths)));
    rows.forEach(row -> line(row(row, widths)));
  }

  /** Keeps line ends and tabs; every other control character becomes a visible mark. */
  static String safe(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean control = Character.isISOControl(c) && c != '\n' && c != '\t';
      boolean turnsText = (c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069');
      safe.append(control || turnsText ? '\ufffd' : c);
    }
    return safe.toString();
  }

  private static String row(List<String> cells, int[] widths) {
    StringBuilder row = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String cell = cells.get(column);
      row.append(cell);
      if (column < widths.length - 1) {
        row.append(" ".repeat(widths[column] - cell.length() + 2));
      }
    }
    return row.toString().stripTrailing();
  }

  private String coloured(String code, String text) {
    return colours ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
