package dev.holdfast.api.channels;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Cuts a text into parts that a platform takes. */
public final class Splitter {
  /** A fence line that would take more of a part than this is shown as plain text. */
  private static final int FENCE_SHARE = 4;

  private final String text;
  private final int unitsMax;
  private final int fenceMax;
  private final List<String> parts = new ArrayList<>();

  private Splitter(String text, int unitsMax) {
    this.text = text;
    this.unitsMax = unitsMax;
    this.fenceMax = unitsMax / FENCE_SHARE;
  }

  /**
   * An open code fence: the line that opened it, without its end, and the marker that closes it.
   */
  private record Fence(String opener, String marker) {}

  /** Where a part may end, and the fence that is open there. */
  private record Cut(int at, @Nullable Fence open) {}

  /** A cut that takes less than this share of a part is worse than one at a lesser place. */
  private static final int CUT_SHARE = 2;

  /**
   * At least one part, none longer than {@code unitsMax} UTF-16 units. Cuts at paragraphs, then
   * lines, then spaces, never inside a surrogate pair; a code fence that is cut is closed and
   * opened again with its language. Otherwise nothing is added or left out, but for parts that
   * would be blank. Time is linear in the text.
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
    Cut from = new Cut(0, null);
    boolean lineStart = true;
    while (from.at() < text.length()) {
      String prefix = from.open() == null ? "" : from.open().opener() + "\n";
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
      return new Cut(text.length(), null);
    }
    int window = from.at() + room;
    @Nullable Cut paragraph = null;
    @Nullable Cut line = null;
    @Nullable Fence open = from.open();
    int start = from.at();
    boolean isLineStart = fromLineStart;
    while (true) {
      int end = endOfLine(start, window);
      if (end < 0) {
        break;
      }
      @Nullable Fence after = isLineStart ? after(open, start, end) : open;
      boolean opens = open == null && after != null;
      boolean blank = isLineStart && text.substring(start, end).isBlank();
      open = after;
      start = end;
      isLineStart = true;
      if (end + (open == null ? 0 : open.marker().length()) > window) {
        continue;
      }
      Cut cut = new Cut(end, open);
      // Right after a fence was opened there is nothing in it: the line before is the better end.
      line = opens && line != null ? line : cut;
      paragraph = blank && open == null ? cut : paragraph;
    }
    int enough = from.at() + room / CUT_SHARE;
    if (paragraph != null && paragraph.at() >= enough) {
      return paragraph;
    }
    if (line != null && line.at() >= enough) {
      return line;
    }
    int last = window - (open == null ? 0 : open.marker().length() + 1);
    if (start < last) {
      return inLine(start, last, open);
    }
    return line != null ? line : inLine(from.at(), last, from.open());
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
  private Cut inLine(int start, int last, @Nullable Fence open) {
    for (int at = last; at > start + (last - start) / CUT_SHARE; at--) {
      if (text.charAt(at - 1) == ' ' && !startsFence(at)) {
        return new Cut(at, open);
      }
    }
    for (int at = last; at > start; at--) {
      if (!isInPair(at) && !startsFence(at)) {
        return new Cut(at, open);
      }
    }
    return new Cut(isInPair(last) ? last - 1 : last, open);
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

  /**
   * The fence that is open after the line from {@code start} to {@code end}, when {@code open} was
   * before it.
   */
  private @Nullable Fence after(@Nullable Fence open, int start, int end) {
    if (end - start > fenceMax) {
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
