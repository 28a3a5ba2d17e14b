package dev.holdfast.ingress.stream;

import dev.holdfast.ingress.wire.Responses;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Writes one answer as server-sent events from a virtual thread, no faster than its client reads.
 * For one thread.
 */
public final class SseWriter {
  private final Context loop;
  private final HttpServerRequest request;
  private final Duration writeMax;
  private boolean isOpen;

  /**
   * @param loop the request's own
   * @param writeMax how long a client may take to read one event
   */
  public SseWriter(Context loop, HttpServerRequest request, Duration writeMax) {
    this.loop = loop;
    this.request = request;
    this.writeMax = writeMax;
  }

  /** Whether the head is out, so that the status cannot change any more. */
  public boolean isOpen() {
    return isOpen;
  }

  /**
   * Blocks until the connection took it; the first one brings the head.
   *
   * @throws InterruptedException also when the client is gone or does not read
   */
  public void write(String text) throws InterruptedException {
    boolean isFirst = !isOpen;
    isOpen = true;
    CompletableFuture<Void> written = new CompletableFuture<>();
    loop.runOnContext(_ -> write(text, isFirst, written));
    try {
      written.get(writeMax.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException _) {
      throw new InterruptedException("the client is gone");
    }
  }

  private void write(String text, boolean isFirst, CompletableFuture<Void> written) {
    HttpServerResponse response = request.response();
    if (Responses.isOver(request)) {
      written.completeExceptionally(new IllegalStateException("closed"));
      return;
    }
    if (isFirst) {
      Responses.startEvents(request);
    }
    response
        .write(text)
        .onSuccess(_ -> written.complete(null))
        .onFailure(written::completeExceptionally);
  }

  /** On any thread; of no effect on a connection that is closed. */
  public void end() {
    loop.runOnContext(
        _ -> {
          if (!Responses.isOver(request)) {
            request.response().end();
          }
        });
  }
}
