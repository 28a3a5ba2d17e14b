package dev.holdfast.api.channels;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Cuts a text into parts that a platform takes. */
public final class Splitter {
  /** What begins a part again takes no more of it than this, or it is taken for plain text. */
  private static final int OPENER_SHARE = 4;

  private final String text;
  private final int unitsMax;
  private final int openerMax;
  private final List<String> parts = new ArrayList<>();

  private Splitter(String text, int unitsMax) {
    this.text = text;
    this.unitsMax = unitsMax;
    this.openerMax = unitsMax / OPENER_SHARE;
  }

  /**
   * An open code fence: the line that opened it, without its end, and the marker that closes it.
   */
  private record Fence(String opener, String marker) {}

  /**
   * Where a part may end, and what goes on there: a fence, or a table.
   *
   * @param head the first two lines of the table, with their ends; empty outside of tables
   */
  private record Cut(int at, @Nullable Fence open, String head) {}

  /** A cut that takes less than this share of a part is worse than one at a lesser place. */
  private static final int CUT_SHARE = 2;

  /**
   * At least one part, none longer than {@code unitsMax} UTF-16 units. Cuts at paragraphs, then
   * lines, then spaces, never inside a surrogate pair; a code fence that is cut is closed and
   * opened again with its language, and a table begins again with its head. Otherwise nothing is
   * added or left out, but for parts that would be blank. Time is linear in the text.
   *
   * @throws IllegalArgumentException if {@code unitsMax} is below 2, which a surrogate pair needs
   */
  public static List<String> split(String text, int unitsMax) {
    if (unitsMax < 2) {
      throw new IllegalArgumentException("unitsMax must be at least 2, got " + unitsMax);
    }
    return text.length() <= unitsMax ? List.of(text) : new Splitter(text, unitsMax).split();
  }

  private List<String> split() {
    Cut from = new Cut(0, null, "");
    boolean lineStart = true;
    while (from.at() < text.length()) {
      from = lineStart ? withoutEndedTable(from) : from;
      String prefix = prefix(from, lineStart);
      Cut to = next(from, prefix.length(), lineStart);
      String piece = text.substring(from.at(), to.at());
      if (!piece.isBlank() || from.open() != null) {
        parts.add(prefix + piece + closing(piece, to));
      }
      lineStart = text.charAt(to.at() - 1) == '\n';
      from = to;
    }
    return parts.isEmpty() ? List.of(text.substring(0, 1)) : List.copyOf(parts);
  }

  private String prefix(Cut from, boolean isLineStart) {
    if (from.open() != null) {
      return from.open().opener() + "\n";
    }
    return isLineStart ? from.head() : ""; // the rest of a row is no row
  }

  private Cut withoutEndedTable(Cut from) {
    boolean goesOn = from.head().isEmpty() || isRow(from.at(), lookedAt(from.at()));
    return goesOn ? from : new Cut(from.at(), from.open(), "");
  }

  /** Where the line that begins at {@code start} ends, or how far one part looks at it. */
  private int lookedAt(int start) {
    int most = Math.min(text.length(), start + unitsMax);
    int end = endOfLine(start, most);
    return end < 0 ? most : end;
  }

  private String closing(String piece, Cut to) {
    if (to.open() == null || to.at() == text.length()) {
      return "";
    }
    return (piece.endsWith("\n") ? "" : "\n") + to.open().marker();
  }

  /**
   * The best end of the part that begins at {@code from}; looks at no more of the text than one
   * part can hold.
   */
  private Cut next(Cut from, int prefixUnits, boolean fromLineStart) {
    int room = unitsMax - prefixUnits;
    if (text.length() - from.at() <= room) {
      return new Cut(text.length(), null, "");
    }
    int window = from.at() + room;
    @Nullable Cut paragraph = null;
    @Nullable Cut line = null;
    @Nullable Cut lineBefore = null;
    @Nullable Fence open = from.open();
    String head = from.head();
    int start = from.at();
    int before = -1; // where the line before begins, when a table may begin with it
    boolean isLineStart = fromLineStart;
    while (true) {
      int end = endOfLine(start, window);
      if (end < 0) {
        break;
      }
      @Nullable Fence after = isLineStart ? after(open, start, end) : open;
      boolean isText = open == null && after == null;
      boolean opens = open == null && after != null;
      boolean blank = isLineStart && text.substring(start, end).isBlank();
      if (isText && head.isEmpty() && before >= 0 && isHead(before, start, end)) {
        head = text.substring(before, end);
        opens = true;
        line = lineBefore;
      } else if (!isText || (isLineStart && !isRow(start, end))) {
        head = "";
      }
      before = isText && isLineStart && head.isEmpty() && isRow(start, end) ? start : -1;
      open = after;
      start = end;
      isLineStart = true;
      if (end + (open == null ? 0 : open.marker().length()) > window) {
        continue;
      }
      Cut cut = new Cut(end, open, head);
      lineBefore = line;
      // Right after a fence or a table was opened there is nothing in it: the line before is the
      // better end.
      line = opens && line != null ? line : cut;
      paragraph = blank && open == null ? cut : paragraph;
    }
    boolean isInTable = !head.isEmpty();
    if (before >= 0 && lineBefore != null && isHead(before, start, lookedAt(start))) {
      line = lineBefore;
      isInTable = true;
    }
    int enough = from.at() + room / CUT_SHARE;
    if (paragraph != null && paragraph.at() >= enough) {
      return paragraph;
    }
    if (line != null && (line.at() >= enough || isInTable)) {
      return line;
    }
    int last = window - (open == null ? 0 : open.marker().length() + 1);
    if (start < last) {
      return inLine(start, last, open, head);
    }
    return line != null ? line : inLine(from.at(), last, from.open(), from.head());
  }

  /**
   * The end of the line that begins at {@code start}, after its newline; -1 when it is not before
   * {@code window}.
   */
  private int endOfLine(int start, int window) {
    int newline = text.indexOf('\n', start, window);
    return newline < 0 ? -1 : newline + 1;
  }

  /**
   * Cuts the line that begins at {@code start} and does not end by {@code last}: after a space, or
   * anywhere.
   */
  private Cut inLine(int start, int last, @Nullable Fence open, String head) {
    for (int at = last; at > start + (last - start) / CUT_SHARE; at--) {
      if (text.charAt(at - 1) == ' ' && !startsFence(at)) {
        return new Cut(at, open, head);
      }
    }
    for (int at = last; at > start; at--) {
      if (!isInPair(at) && !startsFence(at)) {
        return new Cut(at, open, head);
      }
    }
    return new Cut(isInPair(last) ? last - 1 : last, open, head);
  }

  private boolean isInPair(int at) {
    return Character.isHighSurrogate(text.charAt(at - 1))
        && Character.isLowSurrogate(text.charAt(at));
  }

  /** Whether a part that begins here would begin with what looks like a fence. */
  private boolean startsFence(int at) {
    int mark = at;
    while (mark < at + 3 && mark < text.length() && text.charAt(mark) == ' ') {
      mark++;
    }
    return text.startsWith("```", mark) || text.startsWith("~~~", mark);
  }

  /** Whether a line can be one of a table. */
  private boolean isRow(int start, int end) {
    int indent = start;
    while (indent < end && text.charAt(indent) == ' ') {
      indent++;
    }
    if (indent == end || indent - start > 3 || ">#".indexOf(text.charAt(indent)) >= 0) {
      return false;
    }
    return text.indexOf('|', indent, end) >= 0;
  }

  /** Whether a table begins with the line from {@code first} to {@code second}, and the next. */
  private boolean isHead(int first, int second, int end) {
    if (end - first > openerMax || text.charAt(end - 1) != '\n' || !isRow(second, end)) {
      return false;
    }
    boolean hasDash = false;
    for (int at = second; at < end; at++) {
      char unit = text.charAt(at);
      hasDash |= unit == '-';
      if (" |:-\t\r\n".indexOf(unit) < 0) {
        return false;
      }
    }
    return hasDash;
  }

  /**
   * The fence that is open after the line from {@code start} to {@code end}, when {@code open} was
   * before it.
   */
  private @Nullable Fence after(@Nullable Fence open, int start, int end) {
    if (end - start > openerMax) {
      return open;
    }
    String line = text.substring(start, end).stripTrailing();
    int indent = 0;
    while (indent < line.length() && line.charAt(indent) == ' ') {
      indent++;
    }
    if (indent > 3 || indent == line.length()) {
      return open;
    }
    char mark = line.charAt(indent);
    int marks = indent;
    while (marks < line.length() && line.charAt(marks) == mark) {
      marks++;
    }
    if (marks - indent < 3 || (mark != '`' && mark != '~')) {
      return open;
    }
    String info = line.substring(marks);
    if (open == null) {
      boolean inline = mark == '`' && info.indexOf('`') >= 0;
      return inline ? null : new Fence(line, line.substring(indent, marks));
    }
    String marker = open.marker();
    boolean closes =
        info.isEmpty() && mark == marker.charAt(0) && marks - indent >= marker.length();
    return closes ? null : open;
  }
}
