package dev.holdfast.bus;

import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is counted of the way to NATS. Thread-safe. */
final class BusMetrics {
  private static final String PUBLISHED = "holdfast.bus.published";

  private final Counter acknowledged;
  private final Counter refused;
  private final Counter failed;
  private final Counter shed;

  BusMetrics(MeterRegistry meters) {
    acknowledged = outcome(meters, "acknowledged");
    refused = outcome(meters, "refused");
    failed = outcome(meters, "failed");
    shed =
        Counter.builder("holdfast.bus.shed")
            .description("Events that became dead letters because the queue was full.")
            .register(meters);
  }

  private static Counter outcome(MeterRegistry meters, String outcome) {
    return Counter.builder(PUBLISHED)
        .description("Tries to publish an event, by what NATS said to it.")
        .tag("outcome", outcome)
        .register(meters);
  }

  void watch(MeterRegistry meters, DiskQueue queue, Supplier<@Nullable Instant> oldest, Time time) {
    Gauge.builder("holdfast.bus.queue.depth", queue, DiskQueue::depth)
        .description("Events that NATS has not acknowledged yet.")
        .register(meters);
    Gauge.builder("holdfast.bus.queue.oldest.seconds", () -> age(oldest.get(), time))
        .description("How long the oldest of them has waited.")
        .register(meters);
  }

  private static double age(@Nullable Instant since, Time time) {
    return since == null ? 0 : Math.max(0, Duration.between(since, time.now()).toMillis() / 1000.0);
  }

  void acknowledged() {
    acknowledged.increment();
  }

  void refused() {
    refused.increment();
  }

  void failed() {
    failed.increment();
  }

  void shed() {
    shed.increment();
  }
}
