package dev.holdfast.tools.files;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads a text line by line, however long its lines are. */
final class TextLines {
  private static final int BUFFER_BYTES = 65_536;

  /** A text has no zero byte so early; what has one is no text. */
  private static final int PROBE_BYTES = 8192;

  private final InputStream in;
  private final int lineBytesMax;
  private final long bytesMax;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long number;
  private boolean cut;

  /** Gets one line after the other. */
  interface LineConsumer {
    /**
     * @param number from 1
     * @param cut whether the line is longer
     * @return whether to go on
     */
    boolean accept(long number, String text, boolean cut) throws InterruptedException;
  }

  /** How a reading ended. */
  enum End {
    /** All of it was read. */
    WHOLE,
    /** The consumer had enough. */
    STOPPED,
    /** There are more bytes than may be read. */
    TOO_LONG,
    /** Not a text. Nothing was taken. */
    BINARY
  }

  /**
   * @param lineBytesMax of a longer line, only the beginning is taken
   */
  TextLines(InputStream in, int lineBytesMax, long bytesMax) {
    this.in = in;
    this.lineBytesMax = lineBytesMax;
    this.bytesMax = bytesMax;
  }

  End each(LineConsumer consumer) throws IOException, InterruptedException {
    byte[] buffer = new byte[BUFFER_BYTES];
    long all = 0;
    boolean open = false;
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      if (all == 0 && isBinary(buffer, read)) {
        return End.BINARY;
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      all += read;
      for (int i = 0; i < read; i++) {
        open = buffer[i] != '\n';
        if (open) {
          add(buffer[i]);
        } else if (!emit(consumer)) {
          return End.STOPPED;
        }
      }
      if (all > bytesMax) {
        return End.TOO_LONG;
      }
    }
    return open && !emit(consumer) ? End.STOPPED : End.WHOLE;
  }

  long lines() {
    return number;
  }

  private static boolean isBinary(byte[] buffer, int read) {
    for (int i = 0; i < Math.min(read, PROBE_BYTES); i++) {
      if (buffer[i] == 0) {
        return true;
      }
    }
    return false;
  }

  private void add(byte next) {
    if (line.size() < lineBytesMax) {
      line.write(next);
    } else {
      cut = true;
    }
  }

  private boolean emit(LineConsumer consumer) throws InterruptedException {
    number++;
    String text = line.toString(StandardCharsets.UTF_8);
    boolean wasCut = cut;
    line.reset();
    cut = false;
    return consumer.accept(
        number, text.endsWith("\r") ? text.substring(0, text.length() - 1) : text, wasCut);
  }
}
