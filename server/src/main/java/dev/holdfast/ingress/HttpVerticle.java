package dev.holdfast.ingress;

import dev.holdfast.ingress.pages.Pages;
import dev.holdfast.ingress.webhooks.Webhooks;
import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.HostNames;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One event loop of the {@code http} listener; all of them share the port. */
final class HttpVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(HttpVerticle.class);
  private static final long SWEEP_MILLIS = 250;

  private final ListenerState shared;
  private final int number;
  private final Duration closeBudget;
  private @Nullable HttpServer server;

  HttpVerticle(ListenerState shared, int number, Duration closeBudget) {
    this.shared = shared;
    this.number = number;
    this.closeBudget = closeBudget;
  }

  @Override
  public Future<?> start() {
    IngressParts parts = shared.parts();
    // A port of 0 must be the same free one for all instances: that is what a negative number asks
    // for.
    int port = parts.http().port() == 0 ? -1 : parts.http().port();
    HttpServerOptions options = ConnectionLimits.options(parts.http().host(), port);
    ConnectionLimits doors =
        new ConnectionLimits(
            new ConnectionLimits.Sizes(parts.http(), parts.attachments().bytesMax()),
            options,
            shared.connections(),
            parts.time(),
            shared.refusals());
    Webhooks webhooks =
        new Webhooks(
            parts.channels(), shared.acceptor(), shared.preAuth(), shared.refusals(), parts.time());
    HostNames names = new HostNames(parts.http());
    Pages pages =
        new Pages(
            shared.assets(), shared.authenticator(), parts.sessions(), names, shared.refusals());
    RequestRouter front =
        new RequestRouter(
            new RequestRouter.Ways(webhooks, parts.probes(), api(), pages),
            names,
            shared.refusals());
    vertx.setPeriodic(
        SWEEP_MILLIS,
        _ -> {
          doors.sweep();
          webhooks.sweep();
          parts.ticks().tick("http-" + number);
        });
    HttpServer made =
        vertx
            .createHttpServer(options)
            .connectionHandler(doors::enter)
            .exceptionHandler(e -> LOG.debug("connection: failed", e))
            .requestHandler(front);
    server = made;
    return made.listen();
  }

  /**
   * The contract is read while the listener already serves webhooks; requests that come before it
   * is there wait.
   */
  private Handler<HttpServerRequest> api() {
    Future<Router> router = shared.contract().map(contract -> shared.api(vertx).router(contract));
    return request -> {
      if (router.succeeded()) {
        router.result().handle(request);
        return;
      }
      request.pause();
      router
          .onSuccess(
              ready -> {
                ready.handle(request); // listens first, then the body may come
                request.resume();
              })
          .onFailure(why -> shared.refusals().send(request, why));
    };
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
    return listening.shutdown(closeBudget.toMillis(), TimeUnit.MILLISECONDS);
  }
}
