package dev.holdfast.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentResultsTest {
  private final RecentResults results = new RecentResults(new ManualTime());

  private void add(int good, int bad) {
    for (int i = 0; i < good; i++) {
      results.succeeded("a");
    }
    for (int i = 0; i < bad; i++) {
      results.failed("a", "TIMEOUT", "number " + i);
    }
  }

  /** Of every number of successes and failures, the failures last. */
  @Test
  void moreThanHalfOfAtLeastTenOfTheLastTwentyAreTooMany() {
    for (int good = 0; good <= 30; good++) {
      for (int bad = 0; bad <= 30; bad++) {
        results.forget("a");
        add(good, bad);
        int known = Math.min(20, good + bad);
        int failures = Math.min(20, bad);
        RecentResults.Rate rate = results.rate("a");
        assertThat(rate).isEqualTo(new RecentResults.Rate(known, failures));
        assertThat(rate.isTooHigh())
            .as("%d good, then %d bad", good, bad)
            .isEqualTo(known >= 10 && failures > known / 2.0);
        assertThat(rate.isGood()).isEqualTo(known >= 10 && !rate.isTooHigh());
        assertThat(results.failing()).isEqualTo(rate.isTooHigh() ? List.of("a") : List.of());
      }
    }
  }

  @Test
  void theErrorsAreBounded() {
    results.failed("a", "IO", "x".repeat(10_000));
    assertThat(results.errors("a"))
        .singleElement()
        .asString()
        .contains("IO: xxx")
        .hasSizeLessThan(400);
    add(0, 25);
    assertThat(results.errors("a")).hasSize(20).last().asString().endsWith("TIMEOUT: number 24");
  }

  @Test
  void whatIsGoneIsForgotten() {
    add(0, 20);
    results.keepOnly(List.of("b"));
    assertThat(results.failing()).isEmpty();
    assertThat(results.errors("a")).isEmpty();
  }
}
