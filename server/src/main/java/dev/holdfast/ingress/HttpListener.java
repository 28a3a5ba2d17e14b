package dev.holdfast.ingress;

import dev.holdfast.health.Ticks;
import dev.holdfast.ingress.wire.ConnectionCount;
import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.MetricsConfig;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.time.Time;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of the {@code http} and {@code metrics} sections. Thread-safe. */
public final class HttpListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
  private static final int EVENT_LOOPS = 2;
  private static final Duration START_MAX = Duration.ofSeconds(30);
  private final Vertx vertx;
  private final RequestRouter router;
  private final List<HttpVerticle> loops = new CopyOnWriteArrayList<>();
  private final MetricsVerticle metrics;
  private final ConnectionCount connections;
  private final List<String> deployments = new CopyOnWriteArrayList<>();

  private HttpListener(
      Vertx vertx, RequestRouter router, MetricsVerticle metrics, ConnectionCount connections) {
    this.vertx = vertx;
    this.router = router;
    this.metrics = metrics;
    this.connections = connections;
  }

  /**
   * Binds both ports and serves. Blocks the calling thread, which must not be an event loop; the
   * API's contract is read in the background.
   *
   * @param vertx made with the metrics of {@code meters}, or there are no {@code vertx_*} families
   * @param ticks hears of each event loop, {@code http-0} and so on, several times a second
   * @throws IOException when a port cannot be bound, with the address in its message
   */
  public static HttpListener start(
      Vertx vertx,
      ConnectionLimits.Sizes sizes,
      RequestRouter router,
      MetricsConfig scraped,
      PrometheusMeterRegistry meters,
      Ticks ticks,
      Time time)
      throws IOException, InterruptedException {
    Refusals refusals = new Refusals(meters);
    MetricsVerticle metrics = new MetricsVerticle(scraped, router.names(), meters, refusals, time);
    ConnectionCount connections = new ConnectionCount(sizes.http().maxConnections(), meters, time);
    HttpListener listener = new HttpListener(vertx, router, metrics, connections);
    Supplier<HttpVerticle> loop =
        () -> {
          String name = "http-" + listener.loops.size();
          HttpVerticle made =
              new HttpVerticle(sizes, router, connections, refusals, time, () -> ticks.tick(name));
          listener.loops.add(made);
          return made;
        };
    try {
      listener.deploy(loop, sizes.http(), scraped);
    } catch (IOException | InterruptedException e) {
      listener.close();
      throw e;
    }
    return listener;
  }

  private void deploy(Supplier<HttpVerticle> loop, HttpConfig http, MetricsConfig scraped)
      throws IOException, InterruptedException {
    await(
        vertx.deployVerticle(loop, new DeploymentOptions().setInstances(EVENT_LOOPS)),
        "http",
        http.host() + ":" + http.port());
    await(vertx.deployVerticle(metrics), "metrics", scraped.host() + ":" + scraped.port());
    LOG.info(
        "http: listening on {}:{}, metrics on {}:{}",
        http.host(),
        port(),
        scraped.host(),
        metricsPort());
    if (!scraped.isLoopback() && scraped.token().isEmpty()) {
      LOG.warn(
          "metrics: {} has no metrics.token: whoever reaches it can read how much this server is"
              + " used",
          scraped.host());
    }
  }

  private void await(Future<String> deployed, String section, String address)
      throws IOException, InterruptedException {
    try {
      deployments.add(
          deployed
              .toCompletionStage()
              .toCompletableFuture()
              .get(START_MAX.toSeconds(), TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      throw new IOException(
          "cannot listen on %s: %s; stop what listens there, or change %s.port (or %s.host)"
              .formatted(address, reason(e), section, section),
          e);
    } catch (TimeoutException e) {
      throw new IOException("cannot listen on " + address + ": it took too long", e);
    }
  }

  private static String reason(ExecutionException e) {
    Throwable cause = e.getCause();
    return cause == null ? "no reason was given" : String.valueOf(cause.getMessage());
  }

  /** Runs {@code then}, on an event loop, when the contract was read or could not be. */
  public void whenContractWasRead(Runnable then) {
    router.api().whenContractWasRead(then);
  }

  /** The port that was really bound, which matters when 0 was asked for. */
  public int port() {
    return loops.getFirst().port();
  }

  public int metricsPort() {
    return metrics.port();
  }

  /** Those of the {@code http} section. */
  public ConnectionCount connections() {
    return connections;
  }

  /**
   * Accepts no more connections, ends the streams, lets running requests finish for up to 5 s,
   * closes. Before it, {@code Store.stopIntake} makes what still comes in hear 503.
   */
  @Override
  public void close() {
    router.endWaiting();
    List<Future<Void>> ends = deployments.stream().map(vertx::undeploy).toList();
    deployments.clear();
    try {
      Future.join(ends)
          .toCompletionStage()
          .toCompletableFuture()
          .get(2 * HttpVerticle.CLOSE_MAX.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("http: did not close cleanly", e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
