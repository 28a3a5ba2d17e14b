package dev.holdfast.ingress;

import dev.holdfast.ingress.stream.EventStreams;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.MetricsConfig;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of the {@code http} and {@code metrics} sections. Thread-safe. */
public final class HttpListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
  private static final int EVENT_LOOPS = 2;
  private static final Duration START_MAX = Duration.ofSeconds(30);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  private final Vertx vertx;
  private final ListenerState shared;
  private final List<HttpVerticle> loops = new CopyOnWriteArrayList<>();
  private final MetricsVerticle metrics;
  private final List<String> deployments = new CopyOnWriteArrayList<>();

  private HttpListener(ListenerState shared) {
    this.vertx = shared.parts().vertx();
    this.shared = shared;
    this.metrics = new MetricsVerticle(shared.parts(), shared.refusals());
  }

  /**
   * Binds both ports and serves. Blocks the calling thread, which must not be an event loop; the
   * API's contract is read in the background.
   *
   * @throws IOException when a port cannot be bound, with the address in its message
   */
  public static HttpListener start(IngressParts parts) throws IOException, InterruptedException {
    return start(parts, EventStreams.Limits.USUAL);
  }

  static HttpListener start(IngressParts parts, EventStreams.Limits limits)
      throws IOException, InterruptedException {
    HttpListener listener = new HttpListener(new ListenerState(parts, limits));
    try {
      listener.deploy();
    } catch (IOException | InterruptedException e) {
      listener.close();
      throw e;
    }
    return listener;
  }

  private void deploy() throws IOException, InterruptedException {
    HttpConfig http = shared.parts().http();
    MetricsConfig scraped = shared.parts().metrics();
    await(
        vertx.deployVerticle(this::loop, new DeploymentOptions().setInstances(EVENT_LOOPS)),
        http.host() + ":" + http.port());
    await(vertx.deployVerticle(metrics), scraped.host() + ":" + scraped.port());
    LOG.info(
        "http: listening on {}:{}, metrics on {}:{}",
        http.host(),
        port(),
        scraped.host(),
        metricsPort());
  }

  private HttpVerticle loop() {
    HttpVerticle loop = new HttpVerticle(shared, loops.size(), CLOSE_MAX);
    loops.add(loop);
    return loop;
  }

  private void await(Future<String> deployed, String address)
      throws IOException, InterruptedException {
    try {
      deployments.add(
          deployed
              .toCompletionStage()
              .toCompletableFuture()
              .get(START_MAX.toSeconds(), TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      throw new IOException("cannot listen on " + address + ": " + reason(e), e);
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
    shared.contract().onComplete(_ -> then.run());
  }

  /** The port that was really bound, which matters when 0 was asked for. */
  public int port() {
    return loops.getFirst().port();
  }

  public int metricsPort() {
    return metrics.port();
  }

  /**
   * Accepts no more connections, ends the streams, lets running requests finish for up to 5 s,
   * closes. Before it, {@code Store.stopIntake} makes what still comes in hear 503.
   */
  @Override
  public void close() {
    shared.close();
    List<Future<Void>> ends = deployments.stream().map(vertx::undeploy).toList();
    deployments.clear();
    try {
      Future.join(ends)
          .toCompletionStage()
          .toCompletableFuture()
          .get(2 * CLOSE_MAX.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("http: did not close cleanly", e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
