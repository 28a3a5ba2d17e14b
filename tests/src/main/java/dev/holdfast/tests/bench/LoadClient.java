package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.WebhookSender;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Sends signed webhook events from one event loop: as fast as answers come over a fixed number of
 * connections, or at a steady rate. At a steady rate a latency counts from the moment at which the
 * request was due, so a stall counts against every request that it held up (no coordinated
 * omission).
 */
final class LoadClient implements AutoCloseable {
  private static final int CHAT_THREADS = 1_000;
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final HttpClient client;
  private final RequestOptions target;
  private final Delivery.Maker deliveries;
  private final WebhookSender signing = new WebhookSender("", ServerRig.SECRET);
  private final String run = "b" + Long.toString(System.nanoTime(), 36) + "-";
  private final AtomicLong sent = new AtomicLong();
  private final int connections;
  private int chatThreads = CHAT_THREADS;

  /** Of the generic webhook. */
  LoadClient(int port, int connections) {
    this(port, connections, Optional.empty());
  }

  LoadClient(int port, int connections, Delivery.Maker deliveries) {
    this(port, connections, Optional.of(deliveries));
  }

  private LoadClient(int port, int connections, Optional<Delivery.Maker> deliveries) {
    this.deliveries = deliveries.orElse(this::generic);
    this.connections = connections;
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAlive(true).setTcpNoDelay(true),
            new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(-1));
    this.target =
        new RequestOptions().setHost("127.0.0.1").setPort(port).setMethod(HttpMethod.POST);
  }

  LoadClient overThreads(int count) {
    chatThreads = count;
    return this;
  }

  /** The id of the n-th event that this client sends. */
  String id(long number) {
    return run + number;
  }

  long sent() {
    return sent.get();
  }

  /** Each connection sends its next request when its last was answered. */
  LoadResult flatOut(Duration warmUp, Duration span) {
    long from = System.nanoTime() + warmUp.toNanos();
    return loop(from, from + span.toNanos(), Long.MAX_VALUE);
  }

  /** As {@link #flatOut}, for a number of events. */
  LoadResult send(long events) {
    return loop(System.nanoTime(), Long.MAX_VALUE, sent.get() + events);
  }

  private LoadResult loop(long fromNanos, long endNanos, long untilNumber) {
    Counts counts = new Counts(fromNanos);
    CountDownLatch done = new CountDownLatch(connections);
    for (int i = 0; i < connections; i++) {
      vertx.runOnContext(_ -> next(counts, endNanos, untilNumber, done));
    }
    awaitAll(done);
    return counts.result(Math.min(endNanos, System.nanoTime()));
  }

  private void next(Counts counts, long endNanos, long untilNumber, CountDownLatch done) {
    if (System.nanoTime() > endNanos || sent.get() >= untilNumber) {
      done.countDown();
      return;
    }
    long start = System.nanoTime();
    post(sent.getAndIncrement())
        .onComplete(
            status -> {
              counts.count(start, status.succeeded() ? status.result() : 0);
              // Through the event loop: answers that are there already would grow the stack.
              vertx.runOnContext(_ -> next(counts, endNanos, untilNumber, done));
            });
  }

  /** Sends at the rate, whatever the answers do, and waits for them. */
  LoadResult steady(int perSecond, Duration span) {
    long start = System.nanoTime();
    Counts counts = new Counts(start);
    long total = perSecond * span.toMillis() / 1000;
    AtomicInteger due = new AtomicInteger();
    CountDownLatch done = new CountDownLatch((int) total);
    vertx.setPeriodic(
        1,
        timer -> {
          long now = System.nanoTime();
          while (due.get() < total && dueAt(start, due.get(), perSecond) <= now) {
            long dueNanos = dueAt(start, due.getAndIncrement(), perSecond);
            post(sent.getAndIncrement())
                .onComplete(
                    status -> {
                      counts.count(dueNanos, status.succeeded() ? status.result() : 0);
                      done.countDown();
                    });
          }
          if (due.get() >= total) {
            vertx.cancelTimer(timer);
          }
        });
    awaitAll(done);
    return counts.result(System.nanoTime());
  }

  static long dueAt(long start, long number, int perSecond) {
    return start + number * 1_000_000_000L / perSecond;
  }

  private Future<Integer> post(long number) {
    Delivery delivery = deliveries.make(number);
    return client
        .request(new RequestOptions(target).setURI(delivery.uri()))
        .compose(request -> send(request, delivery.headers(), delivery.body()))
        .compose(response -> response.end().map(_ -> response.statusCode()));
  }

  private Delivery generic(long number) {
    String id = id(number);
    String body =
        WebhookSender.body("t" + number % chatThreads, "please answer " + id + " " + FILLER);
    return new Delivery("/webhooks/webhook/ci", signing.headers(id, body), body);
  }

  static final String FILLER = "x".repeat(380);

  private static Future<HttpClientResponse> send(
      HttpClientRequest request, Map<String, String> headers, String body) {
    headers.forEach(request::putHeader);
    return request.send(Buffer.buffer(body));
  }

  private static void awaitAll(CountDownLatch done) {
    try {
      done.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    vertx.close().await();
  }

  /** Counts what came after the warm-up. */
  private static final class Counts {
    private final long fromNanos;
    private final Histogram latency = new ConcurrentHistogram(3);
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    Counts(long fromNanos) {
      this.fromNanos = fromNanos;
    }

    void count(long startNanos, int status) {
      long now = System.nanoTime();
      if (now < fromNanos) {
        return;
      }
      if (status >= 200 && status < 300) {
        accepted.incrementAndGet();
        latency.recordValue(now - startNanos);
      } else if (status == 0) {
        failed.incrementAndGet();
      } else {
        refused.incrementAndGet();
      }
    }

    LoadResult result(long endNanos) {
      double secs = (endNanos - fromNanos) / 1e9;
      return new LoadResult(
          accepted.get(), refused.get(), failed.get(), accepted.get() / secs, latency.copy());
    }
  }
}
