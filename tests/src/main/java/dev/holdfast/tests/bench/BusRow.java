package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.ServerRig;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.JetStream;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;

/**
 * The way to NATS: how soon an event arrives at a subscriber, what a queue costs that grows while
 * NATS is away, and how fast it is drained, beside a client that publishes as fast as it can and
 * keeps nothing.
 */
final class BusRow implements Row {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final int THREADS = 500;
  private static final int PER_SECOND = 200;
  private static final int RAW_UNDER_WAY = 500;
  private static final int EVENTS_EACH = 2; // accepted and answered

  @Override
  public void run(Scale scale, Report report) throws Exception {
    int waiting = scale.count(10_000, 2_000);
    try (ServerRig rig = new ServerRig(false);
        NatsServer nats = new NatsServer()) {
      nats.start();
      rig.setup()
          .set("broker.kind", "nats")
          .set("broker.nats.servers", List.of(nats.url()))
          .set("broker.disk_queue.max_events", 4 * waiting)
          .setNamed(
              "breakers", "bus:nats", Map.of("initial_backoff_ms", 200, "max_backoff_ms", 500));
      try (LoadClient client =
          new LoadClient(rig.start().setup().httpPort(), 64).overThreads(THREADS)) {
        LoadResult _ = client.send(1_000);
        awaitEmpty(rig);
        arrivals(scale, report, rig, nats, client);
        nats.kill9();
        enqueue(report, client, waiting);
        rig.api().awaitQuiet(LIMIT);
        drain(report, rig, nats);
      }
    }
  }

  private static double depth(ServerRig rig) throws IOException {
    return rig.metrics().sum("holdfast_bus_queue_depth");
  }

  private static void awaitEmpty(ServerRig rig) {
    rig.api().awaitQuiet(LIMIT);
    Await.until("all is published", LIMIT, () -> depth(rig) == 0);
  }

  private static void arrivals(
      Scale scale, Report report, ServerRig rig, NatsServer nats, LoadClient client)
      throws Exception {
    Histogram late = new Histogram(3);
    Connection connection = Nats.connect(nats.url());
    try {
      Dispatcher dispatcher =
          connection.createDispatcher(
              message -> {
                synchronized (late) {
                  late.recordValue(Math.max(0, age(message).toNanos()));
                }
              });
      var _ = dispatcher.subscribe("holdfast.inbound.>");
      connection.flush(Duration.ofSeconds(5));
      LoadResult steady = client.steady(PER_SECOND, scale.span(20));
      awaitEmpty(rig);
      synchronized (late) {
        report.figure(
            "accepted to a subscriber at " + PER_SECOND + "/s" + steady.trouble(),
            Report.percentiles(late),
            "acks " + Report.percentiles(steady.latency()));
      }
    } finally {
      connection.close();
    }
  }

  private static Duration age(Message message) {
    String event = new String(message.getData(), StandardCharsets.UTF_8);
    return Duration.between(Instant.parse(Json.read(event).path("time").asText()), Instant.now());
  }

  /** Two halves: the queue is short in one and long in the other. */
  private static void enqueue(Report report, LoadClient client, int waiting) {
    int half = waiting / EVENTS_EACH / 2;
    LoadResult shorter = client.send(half);
    LoadResult longer = client.send(half);
    report.figure(
        String.format(Locale.ROOT, "acks without NATS, up to %,d waiting", waiting),
        Report.percentiles(longer.latency()) + longer.trouble(),
        "shorter queue " + Report.percentiles(shorter.latency()));
  }

  private static void drain(Report report, ServerRig rig, NatsServer nats) throws Exception {
    double waited = depth(rig);
    nats.start();
    Await.until("the queue is drained", LIMIT, () -> depth(rig) < waited);
    long start = System.nanoTime();
    double first = depth(rig);
    Await.until("the queue is drained", LIMIT, () -> depth(rig) == 0);
    double perSecond = first * 1e9 / (System.nanoTime() - start);
    report.figure(
        String.format(Locale.ROOT, "drained, of %,.0f events", waited),
        Report.perSecond(perSecond) + String.format(Locale.ROOT, " (the last %,.0f)", first),
        Report.perSecond(raw(nats, (int) waited)));
  }

  /** As many of the same size on as many subjects, from memory. */
  private static double raw(NatsServer nats, int events) throws Exception {
    byte[] payload = "x".repeat(700).getBytes(StandardCharsets.UTF_8);
    Connection connection = Nats.connect(nats.url());
    try {
      var _ =
          connection
              .jetStreamManagement()
              .addStream(
                  StreamConfiguration.builder()
                      .name("RAW")
                      .subjects("raw.>")
                      .storageType(StorageType.File)
                      .build());
      JetStream stream = connection.jetStream();
      long start = System.nanoTime();
      List<CompletableFuture<PublishAck>> underWay = new ArrayList<>();
      for (int i = 0; i < events; i++) {
        underWay.add(stream.publishAsync("raw." + i % THREADS, payload));
        if (underWay.size() == RAW_UNDER_WAY) {
          underWay.forEach(CompletableFuture::join);
          underWay.clear();
        }
      }
      underWay.forEach(CompletableFuture::join);
      return events * 1e9 / (System.nanoTime() - start);
    } finally {
      connection.close();
    }
  }
}
