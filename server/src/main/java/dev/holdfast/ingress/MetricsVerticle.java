package dev.holdfast.ingress;

import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.HostNames;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.MetricsConfig;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.time.Time;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The {@code metrics} listener: {@code /metrics} in Prometheus' text format and nothing else. */
final class MetricsVerticle extends VerticleBase {
  private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final int CONNECTIONS_MAX = 64;
  private static final int BODY_BYTES_MAX = 1024;

  private final MetricsConfig config;
  private final HostNames names;
  private final PrometheusMeterRegistry meters;
  private final Refusals refusals;
  private final Time time;
  private final AtomicBoolean scraping = new AtomicBoolean();
  private @Nullable HttpServer server;

  MetricsVerticle(
      MetricsConfig config,
      HostNames names,
      PrometheusMeterRegistry meters,
      Refusals refusals,
      Time time) {
    this.config = config;
    this.names = names;
    this.meters = meters;
    this.refusals = refusals;
    this.time = time;
  }

  @Override
  public Future<?> start() {
    HttpServerOptions options =
        ConnectionLimits.options(config.host(), config.port() == 0 ? -2 : config.port());
    HttpConfig limits =
        new HttpConfig(
            config.host(),
            config.port(),
            "",
            List.of(),
            BODY_BYTES_MAX,
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(120),
            CONNECTIONS_MAX);
    ConnectionLimits connections =
        new ConnectionLimits(
            ConnectionLimits.Sizes.ofHeap(limits, 0), options, new AtomicInteger(), time, refusals);
    vertx.setPeriodic(1000, _ -> connections.sweep());
    HttpServer made =
        vertx
            .createHttpServer(options)
            .connectionHandler(connections::enter)
            .exceptionHandler(_ -> {})
            .requestHandler(this::handle);
    server = made;
    return made.listen();
  }

  private void handle(HttpServerRequest request) {
    if (!request.path().equals("/metrics")) {
      Responses.empty(request, 404);
    } else if (!request.method().equals(HttpMethod.GET)) {
      Responses.empty(request, 405);
    } else if (!names.isAllowedForProbes(request.getHeader(HttpHeaders.HOST))) {
      Responses.empty(request, 403);
    } else if (!mayRead(request)) {
      request.response().putHeader("www-authenticate", "Bearer");
      Responses.empty(request, 401);
    } else if (!scraping.compareAndSet(false, true)) {
      request.response().putHeader(Responses.RETRY_AFTER, "1");
      Responses.empty(request, 503);
    } else {
      scrape(request);
    }
  }

  private boolean mayRead(HttpServerRequest request) {
    String token = config.token().reveal();
    if (token.isEmpty()) {
      return true;
    }
    byte[] expected = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    List<String> given = request.headers().getAll(HttpHeaders.AUTHORIZATION);
    return given.size() == 1
        && MessageDigest.isEqual(expected, given.getFirst().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Off the event loop: gauges may ask anybody. One at a time, so that nobody can make it a load.
   */
  private void scrape(HttpServerRequest request) {
    Context loop = vertx.getOrCreateContext();
    Thread.ofVirtual()
        .name("metrics")
        .start(
            () -> {
              try {
                String text = meters.scrape();
                loop.runOnContext(_ -> send(request, text));
              } catch (RuntimeException | Error e) {
                loop.runOnContext(_ -> refusals.send(request, e));
              } finally {
                scraping.set(false);
              }
            });
  }

  private static void send(HttpServerRequest request, String text) {
    if (!Responses.isOver(request)) {
      Responses.start(request, 200).putHeader(HttpHeaders.CONTENT_TYPE, TYPE).end(text);
    }
  }

  int port() {
    HttpServer listening = server;
    return listening == null ? 0 : listening.actualPort();
  }
}
