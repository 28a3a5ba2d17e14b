package dev.holdfast.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BreakerTest {
  private static final long REST = Breaker.REST.toNanos();

  private final Breaker breaker = new Breaker();

  @Test
  void itOpensWithTheThirdFailureInARowAndRests() {
    assertThat(breaker.failed(1)).isFalse();
    breaker.worked();
    assertThat(breaker.failed(1)).isFalse();
    assertThat(breaker.failed(1)).isFalse();
    assertThat(breaker.rest(1)).isZero();
    assertThat(breaker.failed(1)).isTrue();
    assertThat(breaker.rest(1)).isEqualTo(Breaker.REST);
    assertThat(breaker.rest(REST)).isEqualTo(Duration.ofNanos(1));
    assertThat(breaker.rest(REST + 1)).isZero();
  }

  @Test
  void afterARestOneFailureIsEnoughAndOneSuccessClosesIt() {
    for (int i = 0; i < Breaker.FAILURES_MAX; i++) {
      boolean _ = breaker.failed(0);
    }
    assertThat(breaker.failed(REST)).isTrue();
    assertThat(breaker.rest(REST)).isEqualTo(Breaker.REST);
    breaker.worked();
    assertThat(breaker.rest(REST)).isZero();
  }
}
