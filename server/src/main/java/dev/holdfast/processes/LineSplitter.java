package dev.holdfast.processes;

import dev.holdfast.processes.OutputLine.Ending;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Cuts a stream of bytes into lines of a bounded length. Belongs to one thread. */
final class LineSplitter {
  private final int bytesMax;
  private final Sink sink;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean isCut;

  /** Takes each line, without its end. */
  interface Sink {
    void take(OutputLine line) throws InterruptedException;
  }

  /** {@code bytesMax}: what is kept of a line; the rest of it is dropped. */
  LineSplitter(int bytesMax, Sink sink) {
    this.bytesMax = bytesMax;
    this.sink = sink;
  }

  void take(byte[] bytes) throws InterruptedException {
    int from = 0;
    for (int at = 0; at < bytes.length; at++) {
      if (bytes[at] == '\n') {
        append(bytes, from, at);
        emit(isCut ? Ending.CUT : Ending.WHOLE);
        from = at + 1;
      }
    }
    append(bytes, from, bytes.length);
  }

  /** Whether what comes now is dropped, because its line is too long. */
  boolean isDropping() {
    return isCut;
  }

  /** What came after the last end of a line, if anything did. */
  void end() throws InterruptedException {
    if (line.size() > 0) {
      emit(isCut ? Ending.CUT : Ending.STREAM_ENDED);
    }
  }

  private void append(byte[] bytes, int from, int to) {
    int room = Math.min(to - from, bytesMax - line.size());
    line.write(bytes, from, room);
    isCut |= room < to - from;
  }

  private void emit(Ending ending) throws InterruptedException {
    OutputLine whole = new OutputLine(line.toString(StandardCharsets.UTF_8), ending);
    line.reset();
    isCut = false;
    sink.take(whole);
  }
}
