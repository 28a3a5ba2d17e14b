package dev.holdfast.processes;

import dev.holdfast.processes.OutputLine.Ending;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Cuts a stream of bytes into lines of a bounded length. Belongs to one thread. */
final class LineSplitter {
  /** What stands in the place of bytes that are no UTF-8; a text may hold it, too. */
  private static final char REPLACED = '\ufffd';

  private final int bytesMax;
  private final Sink sink;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean isCut;

  /** Takes each line, without its end. */
  interface Sink {
    void take(OutputLine line);
  }

  /** {@code bytesMax}: what is kept of a line; the rest of it is dropped. */
  LineSplitter(int bytesMax, Sink sink) {
    this.bytesMax = bytesMax;
    this.sink = sink;
  }

  void take(byte[] bytes) {
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
  void end() {
    if (line.size() > 0) {
      emit(isCut ? Ending.CUT : Ending.STREAM_ENDED);
    }
  }

  private boolean isUtf8() {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray()));
      return true;
    } catch (CharacterCodingException _) {
      return false;
    }
  }

  private void append(byte[] bytes, int from, int to) {
    int room = Math.min(to - from, bytesMax - line.size());
    line.write(bytes, from, room);
    isCut |= room < to - from;
  }

  private void emit(Ending ending) {
    String text = line.toString(StandardCharsets.UTF_8);
    boolean isGarbled = ending == Ending.WHOLE && text.indexOf(REPLACED) >= 0 && !isUtf8();
    line.reset();
    isCut = false;
    sink.take(new OutputLine(text, isGarbled ? Ending.GARBLED : ending));
  }
}
