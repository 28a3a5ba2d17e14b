package dev.holdfast.store;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** Reads the end of a file of lines without reading the rest. */
final class LogTail {
  private static final int BLOCK = 64 * 1024;

  /** However long the lines are, no more than this is read. */
  private static final long BYTES_MAX = 32L * 1024 * 1024;

  private LogTail() {}

  /** The last {@code limit} whole lines that are JSON objects by their look, oldest first. */
  static List<String> read(Path path, int limit) throws IOException {
    if (!Files.exists(path) || limit <= 0) {
      return List.of();
    }
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      long length = file.length();
      long size = BLOCK;
      while (true) {
        long start = Math.max(0, length - size);
        List<String> lines = lines(file, start, length, limit);
        if (lines.size() >= limit || start == 0 || size >= BYTES_MAX) {
          return lines;
        }
        size *= 4;
      }
    }
  }

  private static List<String> lines(RandomAccessFile file, long start, long end, int limit)
      throws IOException {
    byte[] bytes = new byte[Math.toIntExact(end - start)];
    file.seek(start);
    file.readFully(bytes);
    Deque<String> lines = new ArrayDeque<>();
    int stop = bytes.length;
    while (stop > 0 && bytes[stop - 1] != '\n') {
      stop--; // what comes after the last line end is still being written, or torn
    }
    while (stop > 0 && lines.size() < limit) {
      int from = stop - 1;
      while (from > 0 && bytes[from - 1] != '\n') {
        from--;
      }
      if (from == 0 && start > 0) {
        break; // its beginning lies before the block
      }
      String line = new String(Arrays.copyOfRange(bytes, from, stop - 1), StandardCharsets.UTF_8);
      if (line.startsWith("{") && line.endsWith("}")) {
        lines.addFirst(line);
      }
      stop = from;
    }
    return List.copyOf(lines);
  }
}
