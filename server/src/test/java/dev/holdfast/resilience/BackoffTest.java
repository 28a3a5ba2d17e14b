package dev.holdfast.resilience;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class BackoffTest {
  @org.junit.jupiter.api.Test
  void doublesUpToItsMaximum() {
    Backoff backoff = new Backoff(ofSeconds(1), ofSeconds(16));
    assertThat(backoff.after(1)).isEqualTo(ofSeconds(1));
    assertThat(backoff.after(2)).isEqualTo(ofSeconds(2));
    assertThat(backoff.after(5)).isEqualTo(ofSeconds(16));
    assertThat(backoff.after(6)).isEqualTo(ofSeconds(16));
    assertThatThrownBy(() -> backoff.after(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Property
  void neverOverflowsNorShrinks(
      @ForAll @LongRange(min = 1, max = 1_000_000) long initialMillis,
      @ForAll @LongRange(min = 1, max = 1_000_000_000) long moreMillis,
      @ForAll @IntRange(min = 1, max = Integer.MAX_VALUE - 1) int failures,
      @ForAll @DoubleRange(min = 0, max = 0.99) double random) {
    Duration initial = Duration.ofMillis(initialMillis);
    Duration max = initial.plusMillis(moreMillis);
    Backoff backoff = new Backoff(initial, max);
    assertThat(backoff.after(failures)).isBetween(initial, max);
    assertThat(backoff.after(failures + 1)).isGreaterThanOrEqualTo(backoff.after(failures));
    assertThat(backoff.withFullJitter(failures, random)).isBetween(Duration.ZERO, max);
  }
}
