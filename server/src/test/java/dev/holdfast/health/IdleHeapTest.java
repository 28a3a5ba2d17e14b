package dev.holdfast.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IdleHeapTest {
  private static final long BUSY = Duration.ofSeconds(15).toNanos();
  private static final long QUIET = Duration.ofMillis(200).toNanos();

  private final ManualTime time = new ManualTime();
  private final List<Long> collectedAfterSecs = new ArrayList<>();
  private long cpuNanos;
  private long committed = 100;

  @Test
  void afterALoadTheHeapIsGivenBackOnce() {
    runWith(QUIET, BUSY, BUSY, QUIET, QUIET, QUIET);
    assertThat(collectedAfterSecs).containsExactly(20L, 80L);
  }

  @Test
  void whileThereIsWorkNobodyWaitsForACollection() {
    runWith(BUSY, BUSY, BUSY);
    assertThat(collectedAfterSecs).isEmpty();
  }

  @Test
  void aHeapThatDidNotGrowIsLeftAlone() {
    runWith(QUIET, QUIET, QUIET, QUIET);
    assertThat(collectedAfterSecs).containsExactly(20L);
  }

  /** What the process uses in each stretch of time; a busy one lets the heap grow. */
  private void runWith(long... cpuNanosOfStretches) {
    PrimitiveIterator.OfLong stretches =
        LongStream.concat(LongStream.of(0), LongStream.of(cpuNanosOfStretches)).iterator();
    IdleHeap.Jvm jvm =
        new IdleHeap.Jvm(
            () -> {
              if (!stretches.hasNext()) {
                Thread.currentThread().interrupt();
                return cpuNanos + BUSY;
              }
              long used = stretches.nextLong();
              cpuNanos += used;
              committed += used == BUSY ? 50 : 0;
              return cpuNanos;
            },
            () -> committed,
            () -> {
              collectedAfterSecs.add(Duration.ofNanos(time.nanos()).toSeconds());
              committed = 100;
            });
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> new IdleHeap(time, jvm).run());
  }
}
