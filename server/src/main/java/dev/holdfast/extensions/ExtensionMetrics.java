package dev.holdfast.extensions;

import dev.holdfast.api.Failure;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What is counted about one extension, as long as it is there. */
final class ExtensionMetrics implements AutoCloseable {
  /** From a pipe's round trip to a slow service. */
  private static final List<Integer> BUCKET_MICROS =
      List.of(100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 200_000, 1_000_000, 10_000_000);

  private static final List<String> USUAL_OUTCOMES =
      List.of("ok", "invalid_request", "timeout", "cancelled", "backend_failure", "circuit_open");

  private final String id;
  private final MeterRegistry registry;
  private final Set<Meter> meters = ConcurrentHashMap.newKeySet();
  private final Timer calls;
  private final Counter restarts;
  private volatile boolean closed;

  ExtensionMetrics(String id, MeterRegistry registry, BooleanSupplier isUp) {
    this.id = id;
    this.registry = registry;
    meters.add(
        Gauge.builder("holdfast.extension.up", isUp, up -> up.getAsBoolean() ? 1 : 0)
            .description("0 for an extension that is restarting or parked")
            .tag("id", id)
            .strongReference(true)
            .register(registry));
    calls =
        Timer.builder("holdfast.extension")
            .description("calls to extensions")
            .tag("id", id)
            .serviceLevelObjectives(
                BUCKET_MICROS.stream()
                    .map(micros -> Duration.ofNanos(micros * 1_000L))
                    .toArray(Duration[]::new))
            .register(registry);
    restarts =
        Counter.builder("holdfast.restarts")
            .description("parts that crashed and were restarted")
            .tag("child", "ext:" + id)
            .register(registry);
    meters.add(calls);
    meters.add(restarts);
    USUAL_OUTCOMES.forEach(outcome -> counter(outcome).increment(0));
  }

  private Counter counter(String outcome) {
    Counter counter =
        Counter.builder("holdfast.extension.calls")
            .description("calls to extensions, by outcome")
            .tag("id", id)
            .tag("outcome", outcome)
            .register(registry);
    meters.add(counter);
    return counter;
  }

  /** {@code failure}: null when it went well. */
  void called(@Nullable Failure failure, Duration took) {
    if (closed) {
      return;
    }
    counter(failure == null ? "ok" : failure.code().name().toLowerCase(Locale.ROOT)).increment();
    calls.record(took);
  }

  void cancelled(Duration took) {
    if (closed) {
      return;
    }
    counter("cancelled").increment();
    calls.record(took);
  }

  void restarted() {
    restarts.increment();
  }

  long restarts() {
    return (long) restarts.count();
  }

  @Override
  public void close() {
    closed = true;
    meters.forEach(registry::remove);
    meters.clear();
  }
}
