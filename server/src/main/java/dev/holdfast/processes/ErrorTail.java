package dev.holdfast.processes;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last lines of a child's standard error; all else of it is read and dropped. */
final class ErrorTail extends PipeReader {
  static final int LINES_MAX = 50;
  static final int LINE_BYTES_MAX = 4096;
  private static final int CHUNK = 8 << 10;
  private static final String STARTED =
      new String(SandboxCommand.STARTED, StandardCharsets.US_ASCII).stripTrailing();

  private final LineSplitter splitter = new LineSplitter(LINE_BYTES_MAX, this::keep);
  private final Deque<String> lines = new ArrayDeque<>();
  private boolean hasStarted;

  ErrorTail(int descriptor) {
    super(descriptor, CHUNK);
  }

  @Override
  Next take(byte[] bytes) {
    splitter.take(bytes);
    return bytes.length > CHUNK / 2 ? Next.AFTER_REST : Next.WHEN_READY;
  }

  @Override
  void onEnd() {
    splitter.end();
  }

  /** What came before the mark is not the child's own: it says why nothing started. */
  private synchronized void keep(OutputLine line) {
    if (!hasStarted && line.text().endsWith(STARTED)) {
      hasStarted = true;
      lines.clear();
      return;
    }
    if (lines.size() == LINES_MAX) {
      lines.removeFirst();
    }
    lines.addLast(line.text());
  }

  synchronized boolean hasStarted() {
    return hasStarted;
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }
}
