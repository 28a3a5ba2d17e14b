package dev.holdfast.store.engine;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was found wrong in the database since the start and was put right. Thread-safe. */
public final class Repairs {
  private static final Logger LOG = LoggerFactory.getLogger(Repairs.class);

  private final Map<What, Counter> counters;
  private final AtomicLong all = new AtomicLong();

  /** What was wrong. */
  public enum What {
    /** The file was another one than at the last clean stop; it was checked. */
    FILE,
    /** An index did not have what its table has; it was made anew. */
    INDEX,
    /** The columns of a row contradicted each other. */
    ROW,
    /** A count was not the number of what it counts. */
    COUNT,
    /** An event waited and nobody had it. */
    EVENT;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  Repairs(MeterRegistry registry) {
    counters =
        Arrays.stream(What.values())
            .collect(
                Collectors.toMap(
                    what -> what,
                    what ->
                        Counter.builder("holdfast.store.repairs")
                            .description("Faults of the database that were found and repaired.")
                            .tag("what", what.label())
                            .register(registry),
                    (one, _) -> one,
                    () -> new EnumMap<>(What.class)));
  }

  /** {@code text}: for the log, with what was done. */
  public void add(What what, long count, String text) {
    LOG.error("store: {}", text);
    Objects.requireNonNull(counters.get(what)).increment((double) count);
    all.addAndGet(count);
  }

  /** How many there were. */
  public long count() {
    return all.get();
  }
}
