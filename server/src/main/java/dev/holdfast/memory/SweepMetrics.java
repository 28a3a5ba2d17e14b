package dev.holdfast.memory;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Counts what sweeps do. Thread-safe. */
final class SweepMetrics {
  private static final String PREFIX = "holdfast.memory.sweep.";

  private final Map<SweepRun.Outcome, Counter> runs = new EnumMap<>(SweepRun.Outcome.class);
  private final Map<SweptThread.Outcome, Counter> threads =
      new EnumMap<>(SweptThread.Outcome.class);
  private final Counter kept;
  private final Counter merged;
  private final Counter dropped;
  private final Counter updated;
  private final Counter promotions;
  private final Timer seconds;

  SweepMetrics(MeterRegistry registry) {
    for (SweepRun.Outcome outcome : SweepRun.Outcome.values()) {
      if (outcome != SweepRun.Outcome.RUNNING) {
        runs.put(
            outcome,
            Counter.builder(PREFIX + "runs")
                .description("Sweeps of memories that ended.")
                .tag("outcome", outcome.label())
                .register(registry));
      }
    }
    for (SweptThread.Outcome outcome : SweptThread.Outcome.values()) {
      if (outcome != SweptThread.Outcome.PLANNED) {
        threads.put(
            outcome,
            Counter.builder(PREFIX + "threads")
                .description("Chat threads that were swept.")
                .tag("outcome", outcome.label())
                .register(registry));
      }
    }
    kept = lines(registry, "kept");
    merged = lines(registry, "merged");
    dropped = lines(registry, "dropped");
    updated = lines(registry, "updated");
    promotions =
        Counter.builder(PREFIX + "promotions")
            .description("Lines that became those of all chat threads.")
            .register(registry);
    seconds =
        Timer.builder(PREFIX.substring(0, PREFIX.length() - 1))
            .description("How long sweeps took.")
            .register(registry);
  }

  private static Counter lines(MeterRegistry registry, String what) {
    return Counter.builder(PREFIX + "lines")
        .description("Lines of memories that sweeps looked at.")
        .tag("what", what)
        .register(registry);
  }

  void swept(SweptThread swept) {
    Counter of = threads.get(swept.outcome());
    if (of != null) {
      of.increment();
    }
    kept.increment(swept.kept());
    merged.increment(swept.merged());
    dropped.increment(swept.dropped());
    updated.increment(swept.updated());
  }

  void promoted() {
    promotions.increment();
  }

  /** Of one that the last run of the server had begun. */
  void cutOff() {
    Counter of = runs.get(SweepRun.Outcome.CUT_OFF);
    if (of != null) {
      of.increment();
    }
  }

  void ended(SweepRun.Outcome outcome, Duration took) {
    Counter of = runs.get(outcome);
    if (of != null) {
      of.increment();
    }
    seconds.record(took);
  }
}
