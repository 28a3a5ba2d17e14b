package dev.holdfast.ingress.wire;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/** One of the protocols that the server speaks, for all event loops. Thread-safe. */
public interface HttpInterface extends AutoCloseable {
  /** Whether a path is one of its own. */
  boolean has(String path);

  /** For one event loop: {@code vertx} is its own. */
  Handler<HttpServerRequest> handler(Vertx vertx);

  /** Ends the requests that wait. */
  @Override
  void close();
}
