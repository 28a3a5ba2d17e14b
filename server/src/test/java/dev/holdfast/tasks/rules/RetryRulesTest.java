package dev.holdfast.tasks.rules;

import static java.time.temporal.ChronoUnit.MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import java.time.Duration;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryRulesTest {
  @ParameterizedTest
  @CsvSource({"1, 500", "2, 1000", "3, 2000", "4, 4000", "5, 5000", "6, 5000", "2147483647, 5000"})
  void theWaitDoublesUpToItsBound(int attempt, long millis) {
    assertThat(RetryRules.DEFAULT.backoff(attempt)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource({"1, 0.0, 250", "1, 0.5, 375", "1, 0.999999, 500", "3, 0.0, 1000", "5, 0.0, 2500"})
  void theJitterGoesFromHalfOfItToAllOfIt(int attempt, double chance, long millis) {
    assertThat(RetryRules.DEFAULT.wait(attempt, chance)).isEqualTo(Duration.ofMillis(millis));
  }

  @Property
  void noRulesMakeTheWaitLeaveItsBounds(
      @ForAll @IntRange(min = 1, max = 3_600_000) int initial,
      @ForAll @IntRange(max = 3_600_000) int more,
      @ForAll @IntRange(min = 1) int attempt,
      @ForAll @DoubleRange(max = 1, maxIncluded = false) double chance) {
    Duration first = Duration.ofMillis(initial);
    Duration most = Duration.ofMillis(Math.min(3_600_000, (long) initial + more));
    RetryRules rules = new RetryRules(3, first, most);
    assertThat(rules.backoff(attempt)).isBetween(first, most);
    assertThat(rules.wait(attempt, chance))
        .isBetween(rules.backoff(attempt).dividedBy(2).truncatedTo(MILLIS), rules.backoff(attempt));
  }

  @Property
  void aLaterAttemptNeverWaitsLess(@ForAll @IntRange(min = 1, max = 100) int attempt) {
    assertThat(RetryRules.DEFAULT.backoff(attempt + 1))
        .isGreaterThanOrEqualTo(RetryRules.DEFAULT.backoff(attempt));
  }

  @Test
  void thereIsNoWaitBeforeTheFirstAttempt() {
    assertThatIllegalArgumentException().isThrownBy(() -> RetryRules.DEFAULT.backoff(0));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 500, 5000, max_attempts",
    "11, 500, 5000, max_attempts",
    "3, 0, 5000, initial_backoff_ms",
    "3, 500, 499, max_backoff_ms",
    "3, 500, 3600001, max_backoff_ms"
  })
  void whatMakesNoSenseIsRefused(int attempts, long initial, long most, String key) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new RetryRules(attempts, Duration.ofMillis(initial), Duration.ofMillis(most)))
        .withMessageContaining(key);
  }

  @Test
  void whatIsAbsentIsInherited() throws ConfigException {
    RetryRules base = new RetryRules(7, Duration.ofMillis(10), Duration.ofMillis(90));
    RetryRules read =
        ConfigFile.text("holdfast.yaml", "retry: {max_backoff_ms: 80}", Map.of())
            .make(root -> RetryRules.from(root.section("retry"), base));
    assertThat(read).isEqualTo(new RetryRules(7, Duration.ofMillis(10), Duration.ofMillis(80)));
  }
}
