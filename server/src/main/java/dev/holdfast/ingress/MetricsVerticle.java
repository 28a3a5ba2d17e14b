package dev.holdfast.ingress;

import dev.holdfast.ingress.wire.ConnectionCount;
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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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

  /** Those for which the next scrape is; used on the event loop only, as the flag is. */
  private final List<HttpServerRequest> waiting = new ArrayList<>();

  private boolean scraping;
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
            ConnectionLimits.Sizes.ofHeap(limits, 0),
            options,
            new ConnectionCount(CONNECTIONS_MAX, meters, time),
            time,
            refusals);
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
    } else {
      waiting.removeIf(Responses::isOver); // so there are no more of them than connections
      waiting.add(request);
      if (!scraping) {
        scrape();
      }
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
   * Off the event loop: gauges may ask anybody. One at a time, so that nobody can make it a load:
   * whoever comes meanwhile shares the next one, which shows all that was counted before.
   */
  private void scrape() {
    scraping = true;
    List<HttpServerRequest> asked = List.copyOf(waiting);
    waiting.clear();
    Context loop = vertx.getOrCreateContext();
    Thread.ofVirtual()
        .name("metrics")
        .start(
            () -> {
              Consumer<HttpServerRequest> answer = answer();
              loop.runOnContext(_ -> scraped(asked, answer));
            });
  }

  private Consumer<HttpServerRequest> answer() {
    try {
      String text = meters.scrape();
      return request -> send(request, text);
    } catch (RuntimeException | Error e) {
      return request -> refusals.send(request, e);
    }
  }

  private void scraped(List<HttpServerRequest> asked, Consumer<HttpServerRequest> answer) {
    scraping = false;
    asked.forEach(answer);
    if (!scraping && !waiting.isEmpty()) {
      scrape();
    }
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
