package dev.holdfast.extensions;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.Semaphore;

/**
 * A body whose messages grow large one at a time only: however many calls one server answers at
 * once, one large answer is in memory. For one thread.
 */
final class GatedBody extends InputStream {
  private static final int LARGE_BYTES = 256 << 10;

  private final InputStream body;
  private final Semaphore gate;
  private long bytes;
  private boolean isInside;

  /**
   * @param gate with one permit, shared by all bodies of one server
   */
  GatedBody(InputStream body, Semaphore gate) {
    this.body = body;
    this.gate = gate;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /** Blocks while another message is large, once this one is. */
  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int count = body.read(into, offset, length);
    bytes += Math.max(count, 0);
    if (bytes > LARGE_BYTES && !isInside) {
      enter();
    }
    return count;
  }

  private void enter() throws InterruptedIOException {
    try {
      gate.acquire();
      isInside = true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while another message is read");
    }
  }

  /** A message was handed on: what comes now is the next one. */
  void next() {
    bytes = 0;
    if (isInside) {
      isInside = false;
      gate.release();
    }
  }

  /** Leaves the body itself open. */
  @Override
  public void close() {
    next();
  }
}
