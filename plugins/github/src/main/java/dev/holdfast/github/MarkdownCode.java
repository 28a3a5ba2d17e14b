package dev.holdfast.github;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which parts of a Markdown text surely are code: names in code mention nobody. What one reading
 * takes for code and another does not counts as none. Time is linear in the text. For one thread.
 */
final class MarkdownCode {
  private static final int FENCE_LEAST = 3;
  private static final int INDENT_MOST = 3;

  private final String text;
  private final BitSet fenced = new BitSet();

  /** Code within its line. */
  private final BitSet inLine = new BitSet();

  /** Code within its paragraph: marks of one line may pair with those of another. */
  private final BitSet inParagraph = new BitSet();

  private @Nullable Fence open;

  private MarkdownCode(String text) {
    this.text = text;
  }

  /**
   * A fence that was opened.
   *
   * @param indent how far; a line that begins before it may have ended what the fence is in
   */
  private record Fence(char mark, int length, int indent) {}

  /** A run of backticks. */
  private record Run(int at, int length) {}

  /** The units of the text that are code. */
  static BitSet of(String text) {
    return new MarkdownCode(text).units();
  }

  /** What ends the fence that the text leaves open, with a newline before it; else empty. */
  static String closing(String text) {
    MarkdownCode code = new MarkdownCode(text);
    BitSet _ = code.units();
    @Nullable Fence left = code.open;
    return left == null
        ? ""
        : "\n" + " ".repeat(left.indent()) + Character.toString(left.mark()).repeat(left.length());
  }

  private BitSet units() {
    int paragraph = 0;
    int at = 0;
    while (at < text.length()) {
      int newline = text.indexOf('\n', at);
      int end = newline < 0 ? text.length() : newline + 1;
      if (isFenced(at, end)) {
        fenced.set(at, end);
        mark(paragraph, at, inParagraph);
        paragraph = end;
      } else if (isBlank(at, end)) {
        mark(paragraph, at, inParagraph);
        paragraph = end;
      } else {
        mark(at, end, inLine);
      }
      at = end;
    }
    mark(paragraph, text.length(), inParagraph);
    inLine.and(inParagraph);
    inLine.or(fenced);
    return inLine;
  }

  private boolean isBlank(int from, int to) {
    return skip(' ', from, to) >= to - 1 && text.substring(from, to).isBlank();
  }

  private int skip(char unit, int from, int to) {
    int at = from;
    while (at < to && text.charAt(at) == unit) {
      at++;
    }
    return at;
  }

  /** Whether the line opens or closes a fence, or stands in one. */
  private boolean isFenced(int from, int to) {
    int start = skip(' ', from, to);
    int indent = start - from;
    boolean isEmpty = start >= to || text.charAt(start) == '\n' || text.charAt(start) == '\r';
    if (open != null && !isEmpty && indent < open.indent()) {
      open = null;
    }
    char mark = start < to ? text.charAt(start) : ' ';
    int length = mark == '`' || mark == '~' ? skip(mark, start, to) - start : 0;
    if (open != null) {
      boolean closes =
          mark == open.mark()
              && length >= open.length()
              && text.substring(start + length, to).isBlank();
      open = closes ? null : open;
      return true;
    }
    boolean opens =
        length >= FENCE_LEAST
            && indent <= INDENT_MOST
            && !(mark == '`' && contains('`', start + length, to));
    open = opens ? new Fence(mark, length, indent) : null;
    return opens;
  }

  private boolean contains(char unit, int from, int to) {
    int at = text.indexOf(unit, from, to);
    return at >= 0;
  }

  /** Marks what stands between two runs of backticks of the same length. */
  private void mark(int from, int to, BitSet code) {
    List<Run> runs = new ArrayList<>();
    int at = text.indexOf('`', from, to);
    while (at >= 0) {
      int end = skip('`', at, to);
      if (at > from && text.charAt(at - 1) == '\\') {
        return; // which marks count then is not worth finding out
      }
      runs.add(new Run(at, end - at));
      at = end < to ? text.indexOf('`', end, to) : -1;
    }
    int[] closing = closing(runs);
    int run = 0;
    while (run < runs.size()) {
      if (closing[run] < 0) {
        run++;
      } else {
        Run last = runs.get(closing[run]);
        code.set(runs.get(run).at(), last.at() + last.length());
        run = closing[run] + 1;
      }
    }
  }

  /** For each run the next one of its length; -1 when there is none. */
  private static int[] closing(List<Run> runs) {
    int[] closing = new int[runs.size()];
    Map<Integer, Integer> next = new HashMap<>();
    for (int run = runs.size() - 1; run >= 0; run--) {
      closing[run] = next.getOrDefault(runs.get(run).length(), -1);
      next.put(runs.get(run).length(), run);
    }
    return closing;
  }
}
