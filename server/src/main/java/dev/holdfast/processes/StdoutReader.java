package dev.holdfast.processes;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads one stream of a child to its end: the first bytes are kept, the rest is counted and
 * dropped, so that the child never blocks and the server never fills up.
 */
final class StdoutReader extends PipeReader {
  private static final int CHUNK = PipeLoop.CHUNK;

  private final long keptMax;
  private final byte[] skipUntil;
  private final Consumer<byte[]> listener;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private long bytesSeen;
  private boolean started;

  /**
   * @param skipUntil what comes up to and with these bytes is not the child's own; may be empty
   */
  StdoutReader(int descriptor, long keptMax, byte[] skipUntil) {
    this(descriptor, keptMax, skipUntil, _ -> {});
  }

  /**
   * As the other one.
   *
   * @param listener hears all that comes, kept or not, on the thread that reads: it must not block
   */
  StdoutReader(int descriptor, long keptMax, byte[] skipUntil, Consumer<byte[]> listener) {
    super(descriptor, CHUNK);
    this.keptMax = keptMax;
    this.skipUntil = skipUntil;
    this.listener = listener;
    this.started = skipUntil.length == 0;
  }

  @Override
  synchronized Next take(byte[] bytes) {
    keep(bytes);
    listener.accept(bytes);
    boolean isFlood = bytes.length > CHUNK / 16 && bytesSeen > keptMax;
    return isFlood ? Next.AFTER_REST : Next.WHEN_READY;
  }

  private void keep(byte[] bytes) {
    if (!started) {
      kept.writeBytes(bytes);
      skip();
      return;
    }
    bytesSeen += bytes.length;
    int room = Math.clamp(keptMax - kept.size(), 0, bytes.length);
    kept.write(bytes, 0, room);
  }

  /** Looks for the mark in what has come so far; what is before it says why nothing started. */
  private void skip() {
    byte[] all = kept.toByteArray();
    int at = indexOf(all, skipUntil);
    if (at < 0 && all.length < CHUNK) {
      return;
    }
    started = at >= 0;
    if (started) {
      kept.reset();
      skipUntilFound(Arrays.copyOfRange(all, at + skipUntil.length, all.length));
    }
  }

  private void skipUntilFound(byte[] rest) {
    bytesSeen += rest.length;
    kept.write(rest, 0, Math.clamp(keptMax, 0, rest.length));
  }

  /** Whether the child's own output began: the command was started. */
  synchronized boolean hasStarted() {
    return started;
  }

  /** All bytes of the child, also those that were dropped. */
  synchronized long bytesSeen() {
    return bytesSeen;
  }

  synchronized boolean isCut() {
    return bytesSeen > kept.size();
  }

  /**
   * What was kept; what is not UTF-8 is replaced, and a character that the cut halved is left out.
   */
  synchronized String text() {
    byte[] bytes = kept.toByteArray();
    int length = bytes.length;
    if (isCut()) {
      while (length > 0 && bytes.length - length < 3 && (bytes[length - 1] & 0xC0) == 0x80) {
        length--;
      }
      if (length > 0 && (bytes[length - 1] & 0xC0) == 0xC0) {
        length--;
      }
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  private static int indexOf(byte[] all, byte[] part) {
    for (int i = 0; i + part.length <= all.length; i++) {
      if (Arrays.equals(all, i, i + part.length, part, 0, part.length)) {
        return i;
      }
    }
    return -1;
  }
}
