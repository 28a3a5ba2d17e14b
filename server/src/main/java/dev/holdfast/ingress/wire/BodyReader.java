package dev.holdfast.ingress.wire;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads whole bodies; their size and time are kept by the {@link RequestLimits}. */
public final class BodyReader {
  private BodyReader() {}

  /** Hears the whole body, or that its sender went away. On the event loop. */
  public interface Reader {
    void onBody(byte[] body);

    void onGone();
  }

  public static void read(HttpServerRequest request, Reader reader) {
    new Gathering(reader).attach(request);
  }

  /** As the other, for who need not know of a sender that went away; empty without a body. */
  public static void read(HttpServerRequest request, Consumer<byte[]> then) {
    if (!announced(request)) {
      then.accept(new byte[0]);
      return;
    }
    read(
        request,
        new Reader() {
          @Override
          public void onBody(byte[] body) {
            then.accept(body);
          }

          @Override
          public void onGone() {
            // Nobody waits for an answer.
          }
        });
  }

  /**
   * Copies what comes into blocks, of which none is larger than what came before it: a body in
   * pieces of one byte takes no more than twice its size.
   */
  private static final class Gathering implements Handler<Buffer> {
    private static final int BLOCK_BYTES_MIN = 512;
    private static final int BLOCK_BYTES_MAX = 64 * 1024;

    private final Reader reader;
    private final List<byte[]> full = new ArrayList<>();
    private byte[] block = new byte[0];
    private int used;
    private int bytes;
    private boolean over;

    Gathering(Reader reader) {
      this.reader = reader;
    }

    void attach(HttpServerRequest request) {
      request.handler(this);
      request.exceptionHandler(
          _ -> {
            if (!over) {
              over = true;
              forget();
              reader.onGone();
            }
          });
      request.endHandler(
          _ -> {
            if (!over) {
              over = true;
              reader.onBody(whole());
            }
          });
    }

    @Override
    public void handle(Buffer piece) {
      int from = 0;
      while (from < piece.length()) {
        if (used == block.length) {
          nextBlock(piece.length() - from);
        }
        int count = Math.min(piece.length() - from, block.length - used);
        piece.getBytes(from, from + count, block, used);
        used += count;
        from += count;
      }
      bytes += piece.length();
    }

    private void nextBlock(int wanted) {
      if (used > 0) {
        full.add(block);
      }
      int size = Math.clamp(Math.max(wanted, bytes), BLOCK_BYTES_MIN, BLOCK_BYTES_MAX);
      block = new byte[size];
      used = 0;
    }

    private byte[] whole() {
      byte[] whole = block;
      if (!full.isEmpty() || used < block.length) {
        whole = new byte[bytes];
        int at = 0;
        for (byte[] each : full) {
          System.arraycopy(each, 0, whole, at, each.length);
          at += each.length;
        }
        System.arraycopy(block, 0, whole, at, used);
      }
      forget();
      return whole;
    }

    private void forget() {
      full.clear();
      block = new byte[0];
      used = 0;
    }
  }

  /** Whether the head announces a body. */
  public static boolean announced(HttpServerRequest request) {
    String length = request.getHeader("content-length");
    return (length != null && !length.equals("0"))
        || request.headers().contains("transfer-encoding");
  }
}
