package dev.holdfast.processes;

import dev.holdfast.time.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last lines of a child's standard error; all else of it is read and dropped. */
final class ErrorTail extends PipeReader {
  static final int LINES_MAX = 50;
  static final int LINE_BYTES_MAX = 4096;
  private static final int POLL_MILLIS = 500;
  private static final int CHUNK = 8 << 10;
  private static final Duration FLOOD_PAUSE = Duration.ofNanos(150_000);
  private static final String STARTED =
      new String(SandboxCommand.STARTED, StandardCharsets.US_ASCII).stripTrailing();

  private final Time time;
  private final LineSplitter splitter = new LineSplitter(LINE_BYTES_MAX, this::keep);
  private final Deque<String> lines = new ArrayDeque<>();
  private boolean hasStarted;

  ErrorTail(int end, Time time) {
    super(end, POLL_MILLIS, CHUNK);
    this.time = time;
  }

  @Override
  void take(byte[] bytes) throws InterruptedException {
    splitter.take(bytes);
    if (bytes.length > CHUNK / 2) {
      time.sleep(FLOOD_PAUSE); // a flood must not take a processor from other work
    }
  }

  @Override
  void onEnd() {
    try {
      splitter.end();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
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
