package dev.holdfast.net;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer, read as it comes; for one thread. Fails with {@link BodyFailedException};
 * an interrupt stays set, aborts the request and comes out as {@link InterruptedIOException}.
 */
public final class BodyStream extends InputStream {
  private final HttpExchange exchange;
  private @Nullable Buffer chunk;
  private int position;
  private boolean over;

  BodyStream(HttpExchange exchange) {
    this.exchange = exchange;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (length == 0) {
      return 0;
    }
    Buffer current = current();
    if (current == null) {
      return -1;
    }
    int count = Math.min(length, current.length() - position);
    current.getBytes(position, position + count, into, offset);
    position += count;
    return count;
  }

  @Override
  public int available() {
    return chunk == null ? 0 : chunk.length() - position;
  }

  /** Drops the rest; the connection is kept if the end comes soon. Reads as ended from now on. */
  public void release() {
    over = true;
    chunk = null;
    exchange.release();
  }

  /** Aborts the rest: the connection is closed. Does nothing after {@link #release} or the end. */
  @Override
  public void close() {
    if (over) {
      return;
    }
    over = true;
    chunk = null;
    exchange.abort();
  }

  private @Nullable Buffer current() throws IOException {
    while (!over && (chunk == null || position >= chunk.length())) {
      try {
        chunk = exchange.next();
        position = 0;
        over = chunk == null;
      } catch (HttpFailedException e) {
        throw new BodyFailedException(e);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while reading");
      }
    }
    return over ? null : chunk;
  }
}
