package dev.holdfast.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
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
  private Optional<Screen> screen = Optional.empty();

  /** Where a person types while lines appear. */
  interface Screen {
    void above(String text);

    /** What goes on now, on a line of its own; empty for nothing. */
    void progress(String text);
  }

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

  /** From now on what is printed appears there. */
  synchronized void use(Screen other) {
    clearProgress();
    screen = Optional.of(other);
  }

  synchronized void leaveScreen() {
    clearProgress();
    screen = Optional.empty();
  }

  /** Whether lines appear above one that is being typed: nothing can be added to a line. */
  synchronized boolean hasScreen() {
    return screen.isPresent();
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
    print(out, text);
  }

  /** A part of a line. */
  synchronized void part(String text) {
    out.print(text);
    out.flush();
  }

  /** For what is no result: it must not end up in a pipe. */
  synchronized void note(String text) {
    print(err, text);
  }

  private void print(PrintWriter writer, String text) {
    clearProgress();
    if (screen.isPresent()) {
      screen.get().above(text);
    } else {
      writer.println(text);
      writer.flush();
    }
  }

  /** One line that replaces itself; nothing in a pipe. */
  synchronized void progress(String text) {
    if (screen.isPresent()) {
      screen.get().progress(text);
    } else if (terminal) {
      err.print("\r\u001b[K" + text);
      err.flush();
    }
    progressShown = terminal;
  }

  synchronized void clearProgress() {
    if (progressShown) {
      progress("");
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

  String code(String text) {
    return coloured("36", text);
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
