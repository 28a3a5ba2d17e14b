package dev.holdfast.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a command writes. Colours and progress appear on a terminal only; what came from outside is
 * made {@link VisibleText} first, for it could rewrite the screen. Thread-safe.
 */
final class Terminal {
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;
  private final boolean colours;
  private final IntSupplier columns;
  private boolean progressShown;

  /**
   * @param terminal whether a person sits in front of it
   * @param columns how wide it is now; 0 when that is not known
   */
  Terminal(
      PrintWriter out,
      PrintWriter err,
      boolean terminal,
      @Nullable String noColour,
      IntSupplier columns) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
    this.columns = columns;
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
  synchronized void note(String text) {
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

  /** A {@link Table}, cut to the width of the terminal; in a pipe nothing is cut. */
  void table(List<String> heading, List<List<String>> rows) {
    List<String> lines = Table.lines(heading, rows, terminal ? columns.getAsInt() : 0);
    line(dim(lines.getFirst()));
    lines.stream().skip(1).forEach(this::line);
  }

  /** One fact of what the line above it names. */
  void field(String name, String value) {
    line("  %-10s %s".formatted(name, value));
  }

  private String coloured(String code, String text) {
    return colours ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
