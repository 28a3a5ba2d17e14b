package dev.holdfast.ingress;

import dev.holdfast.ingress.wire.ConnectionCount;
import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.time.Time;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One event loop of the {@code http} listener; all of them share the port. */
final class HttpVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(HttpVerticle.class);
  static final Duration CLOSE_MAX = Duration.ofSeconds(5);
  private static final long SWEEP_MILLIS = 250;

  private final ConnectionLimits.Sizes sizes;
  private final RequestRouter router;
  private final ConnectionCount connections;
  private final Refusals refusals;
  private final Time time;
  private final Runnable tick;
  private @Nullable HttpServer server;

  /**
   * @param connections those of all event loops
   * @param tick called several times a second while the event loop runs
   */
  HttpVerticle(
      ConnectionLimits.Sizes sizes,
      RequestRouter router,
      ConnectionCount connections,
      Refusals refusals,
      Time time,
      Runnable tick) {
    this.sizes = sizes;
    this.router = router;
    this.connections = connections;
    this.refusals = refusals;
    this.time = time;
    this.tick = tick;
  }

  @Override
  public Future<?> start() {
    HttpConfig http = sizes.http();
    // A port of 0 must be the same free one for all instances: that is what a negative number asks
    // for.
    HttpServerOptions options =
        ConnectionLimits.options(http.host(), http.port() == 0 ? -1 : http.port());
    ConnectionLimits limits = new ConnectionLimits(sizes, options, connections, time, refusals);
    RequestRouter.Loop requests = router.loop(vertx);
    vertx.setPeriodic(
        SWEEP_MILLIS,
        _ -> {
          limits.sweep();
          requests.sweep();
          tick.run();
        });
    HttpServer made =
        vertx
            .createHttpServer(options)
            .connectionHandler(limits::enter)
            .exceptionHandler(e -> LOG.debug("connection: failed", e))
            .requestHandler(requests);
    server = made;
    return made.listen();
  }

  int port() {
    HttpServer listening = server;
    return listening == null ? 0 : listening.actualPort();
  }

  @Override
  public Future<?> stop() {
    HttpServer listening = server;
    if (listening == null) {
      return Future.succeededFuture();
    }
    return listening.shutdown(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS);
  }
}
