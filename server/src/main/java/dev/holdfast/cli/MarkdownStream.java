package dev.holdfast.cli;

/**
 * An answer that grows, given out in whole blocks: what ends with an empty line outside of a block
 * of code does not change its look any more. For one thread at a time.
 */
final class MarkdownStream {
  private final Terminal terminal;
  private final StringBuilder waiting = new StringBuilder();

  MarkdownStream(Terminal terminal) {
    this.terminal = terminal;
  }

  void append(String delta) {
    waiting.append(delta);
    int end = endOfBlocks();
    if (end > 0) {
      show(waiting.substring(0, end));
      terminal.line("");
      waiting.delete(0, end);
    }
  }

  /** Shows what is left. */
  void end() {
    show(waiting.toString());
    waiting.setLength(0);
  }

  private void show(String markdown) {
    if (!markdown.isBlank()) {
      terminal.line(MarkdownText.render(markdown, terminal));
    }
  }

  private int endOfBlocks() {
    int end = 0;
    boolean inCode = false;
    int begin = 0;
    for (int next = waiting.indexOf("\n"); next >= 0; next = waiting.indexOf("\n", begin)) {
      String line = waiting.substring(begin, next);
      begin = next + 1;
      if (line.stripLeading().startsWith("```") || line.stripLeading().startsWith("~~~")) {
        inCode = !inCode;
      }
      // What follows with an indent is of the same list.
      boolean more = begin < waiting.length() && !Character.isWhitespace(waiting.charAt(begin));
      if (line.isBlank() && !inCode && more) {
        end = begin;
      }
    }
    return end;
  }
}
