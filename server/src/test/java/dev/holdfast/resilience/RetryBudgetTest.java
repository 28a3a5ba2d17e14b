package dev.holdfast.resilience;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryBudgetTest {
  private final ManualTime time = new ManualTime();
  private final RetryBudget budget = new RetryBudget(20, time);

  private long taken(int asked) {
    return IntStream.range(0, asked).filter(_ -> budget.take()).count();
  }

  @Test
  void allowsTenAMinuteAndAFifthOfTheCalls() {
    assertThat(taken(50)).isEqualTo(10);
    IntStream.range(0, 100).forEach(_ -> budget.first());
    assertThat(taken(50)).isEqualTo(20);
  }

  @Test
  void forgetsWhatIsOlderThanAMinute() {
    assertThat(taken(50)).isEqualTo(10);
    time.advance(ofSeconds(49));
    assertThat(taken(50)).isZero();
    time.advance(ofSeconds(11));
    assertThat(taken(50)).isEqualTo(10);
    time.advance(ofSeconds(100_000));
    assertThat(taken(50)).isEqualTo(10);
  }
}
