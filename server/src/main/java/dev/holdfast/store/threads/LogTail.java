package dev.holdfast.store.threads;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * Reads the end of a log without reading the rest. A line that was changed or cut is left out and
 * counted.
 */
final class LogTail {
  private static final int BLOCK = 64 * 1024;

  /** However long the lines are, no more than this is read of the newest part. */
  private static final long BYTES_MAX = 32L * 1024 * 1024;

  private final LogPage page;
  private final Deque<LogLines.Line> lines = new ArrayDeque<>();
  private long units;
  private int damaged;

  /** Whether the line has been met before which the page ends. */
  private boolean isMet;

  private LogTail(LogPage page, boolean isMet) {
    this.page = page;
    this.isMet = isMet;
  }

  /**
   * The newest whole lines, oldest first.
   *
   * @param damaged how many were left out on the way
   * @param isMet whether the line has been met before which the page ends
   */
  record Tail(List<String> lines, int damaged, boolean isMet) {}

  /**
   * The last lines of the file and, where it has too few, of its earlier parts. The writer may move
   * the file's lines to an earlier part at any time: what is then met twice counts once. Of very
   * long lines there are fewer.
   */
  static Tail read(Path path, RotatedFiles earlier, LogPage page) throws IOException {
    Tail newest = newest(path, page);
    if (page.isFull(newest.lines())) {
      return newest;
    }
    List<String> found = newest.lines();
    int damaged = newest.damaged();
    boolean isMet = newest.isMet();
    for (Path part : earlier.newestFirst()) {
      Tail older = zipped(part, page, isMet);
      damaged += older.damaged();
      isMet = older.isMet();
      found = newestOf(older.lines(), found, page);
      if (page.isFull(found)) {
        break;
      }
    }
    return new Tail(List.copyOf(found), damaged, isMet);
  }

  private static List<String> newestOf(List<String> older, List<String> newer, LogPage page) {
    LinkedHashSet<String> all = new LinkedHashSet<>(older);
    all.addAll(newer);
    List<String> lines = new ArrayList<>(all);
    int from = lines.size();
    long units = 0;
    while (from > 0 && !page.isFull(lines.size() - from, units)) {
      units += lines.get(--from).length();
    }
    return List.copyOf(lines.subList(from, lines.size()));
  }

  private boolean isFull() {
    return page.isFull(lines.size(), units);
  }

  private static Tail newest(Path path, LogPage page) throws IOException {
    boolean isMet = page.before().isEmpty();
    if (!Files.exists(path) || page.lines() <= 0) {
      return new Tail(List.of(), 0, isMet);
    }
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      long length = file.length();
      long size = BLOCK;
      while (true) {
        long start = Math.max(0, length - size);
        LogTail tail = new LogTail(page, isMet);
        tail.backwards(file, start, length);
        if (tail.isFull() || start == 0 || size >= BYTES_MAX) {
          return tail.done();
        }
        size *= 4;
      }
    }
  }

  private void backwards(RandomAccessFile file, long start, long end) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(end - start)];
    file.seek(start);
    file.readFully(bytes);
    int stop = bytes.length;
    while (stop > 0 && bytes[stop - 1] != '\n') {
      stop--; // what comes after the last line end is still being written, or torn
    }
    while (stop > 0 && !isFull()) {
      int from = stop - 1;
      while (from > 0 && bytes[from - 1] != '\n') {
        from--;
      }
      if (from == 0 && start > 0) {
        break; // its beginning lies before the block
      }
      whole(Arrays.copyOfRange(bytes, from, stop - 1)).ifPresent(this::addFirst);
      stop = from;
    }
  }

  /**
   * The end of an earlier part. Where that is damaged, what stands before the damage; but only what
   * was sealed, since a damaged copy is made of pieces of itself, in another order.
   */
  private static Tail zipped(Path part, LogPage page, boolean isMet) {
    LogTail tail = new LogTail(page, isMet);
    try (InputStream in =
        new BufferedInputStream(
            new GZIPInputStream(new FileInputStream(part.toFile()), BLOCK), BLOCK)) {
      tail.forwards(in);
    } catch (IOException _) {
      tail.damaged++;
      tail.lines.removeIf(line -> !line.sealed());
    }
    return tail.done();
  }

  private void forwards(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next >= 0; next = in.read()) {
      if (next != '\n') {
        line.write(next);
        continue;
      }
      Optional<LogLines.Line> read = whole(line.toByteArray());
      line.reset();
      if (read.isPresent() && isLimit(read.get())) {
        isMet = true;
        return; // what follows is newer, or was met in the newest part already
      }
      read.ifPresent(this::addLast);
    }
    if (!isMet) {
      lines.clear(); // all of it is newer
      units = 0;
    }
  }

  private boolean isLimit(LogLines.Line line) {
    return !page.before().isEmpty() && LogLines.hasId(line.json(), page.before());
  }

  private void addFirst(LogLines.Line line) {
    if (!isMet) {
      isMet = isLimit(line);
      return;
    }
    lines.addFirst(line);
    units += line.json().length();
  }

  /** The oldest ones make room, as far as the page is full without them. */
  private void addLast(LogLines.Line line) {
    lines.addLast(line);
    units += line.json().length();
    while (page.isFull(lines.size() - 1, units - lines.getFirst().json().length())) {
      units -= lines.removeFirst().json().length();
    }
  }

  private Optional<LogLines.Line> whole(byte[] line) {
    Optional<LogLines.Line> read = LogLines.read(line);
    if (read.isEmpty() && line.length > 0) {
      damaged++;
    }
    return read;
  }

  private Tail done() {
    return new Tail(lines.stream().map(LogLines.Line::json).toList(), damaged, isMet);
  }
}
