package dev.holdfast.ingress.wire;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Reads whole bodies; their size and time are kept by the {@link RequestLimits}. */
public final class BodyReader {
  private static final byte[] NONE = new byte[0];

  private BodyReader() {}

  /** Hears the whole body, or that its sender went away. On the event loop. */
  public interface Reader {
    void onBody(byte[] body);

    void onGone();
  }

  public static void read(HttpServerRequest request, Reader reader) {
    new Gathering(reader).attach(request);
  }

  /** Most bodies come in one piece: only the others are put together. */
  private static final class Gathering implements Handler<Buffer> {
    private final Reader reader;
    private @Nullable Buffer first;
    private @Nullable Buffer all;
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
              reader.onGone();
            }
          });
      request.endHandler(
          _ -> {
            if (!over) {
              over = true;
              reader.onBody(bytes());
            }
          });
    }

    @Override
    public void handle(Buffer piece) {
      if (first == null) {
        first = piece;
      } else if (all == null) {
        all = Buffer.buffer(first.length() * 4).appendBuffer(first).appendBuffer(piece);
      } else {
        all.appendBuffer(piece);
      }
    }

    private byte[] bytes() {
      Buffer body = all == null ? first : all;
      return body == null ? NONE : body.getBytes();
    }
  }

  /** Whether the head announces a body. */
  public static boolean announced(HttpServerRequest request) {
    String length = request.getHeader("content-length");
    return (length != null && !length.equals("0"))
        || request.headers().contains("transfer-encoding");
  }
}
