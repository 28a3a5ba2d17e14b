package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Section;
import dev.holdfast.tools.memory.RecallHits;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RecallWeightsTest {
  private static final Instant NOW = Instant.parse("2026-03-01T00:00:00Z");

  private static RecallHits.Found found(int hits, int questions, int days, double share, int age) {
    return new RecallHits.Found(hits, questions, days, share, NOW.minus(Duration.ofDays(age)));
  }

  @Test
  void theScoreIsTheWeightedMeanOfFiveParts() {
    RecallWeights usual = RecallWeights.from(Section.empty());
    assertThat(usual.score(found(0, 0, 0, 0, 0), NOW)).isZero();
    assertThat(usual.score(found(10, 5, 5, 1, 0), NOW)).isEqualTo(1, within(1e-9));
    assertThat(usual.score(found(1000, 50, 50, 1, -3), NOW)).isEqualTo(1, within(1e-9));
    double once = Math.log(2) / Math.log(11);
    assertThat(usual.score(found(1, 1, 1, 0.5, 14), NOW))
        .isEqualTo(
            (0.24 * once + 0.30 * 0.5 + 0.15 * 0.5 + 0.15 * 0.2 + 0.10 * 0.2) / 0.94, within(1e-9));
  }

  @Test
  void oneWeightAloneMeasuresItsOwnPart() {
    assertThat(new RecallWeights(0, 0, 1, 0, 0).score(found(1, 1, 1, 0, 28), NOW))
        .isEqualTo(0.25, within(1e-9));
    assertThat(new RecallWeights(0, 0, 0, 1, 0).score(found(9, 2, 1, 0, 0), NOW))
        .isEqualTo(0.4, within(1e-9));
    assertThat(new RecallWeights(0, 0, 0, 0, 0.3).score(found(9, 2, 3, 0, 0), NOW))
        .isEqualTo(0.6, within(1e-9));
  }

  @Test
  void weightsThatWeighNothingAreRefused() {
    assertThatThrownBy(() -> new RecallWeights(0, 0, 0, 0, 0))
        .isInstanceOf(RefusedValueException.class);
    assertThatThrownBy(() -> new RecallWeights(2, 0, 0, 0, 0))
        .isInstanceOf(RefusedValueException.class);
  }
}
