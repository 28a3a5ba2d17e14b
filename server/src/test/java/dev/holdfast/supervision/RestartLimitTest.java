package dev.holdfast.supervision;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.supervision.RestartLimit.GiveUp;
import dev.holdfast.supervision.RestartLimit.History;
import dev.holdfast.supervision.RestartLimit.Restart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RestartLimitTest {
  private static final RestartLimit LIMIT = RestartLimit.DEFAULT;

  @Test
  void restartsFiveTimesWithGrowingWaitsThenGivesUp() {
    List<Duration> waits = new ArrayList<>();
    RestartLimit.Decision decision = LIMIT.afterCrash(History.CLEAN, 0);
    while (decision instanceof Restart restart) {
      waits.add(restart.rest());
      decision = LIMIT.afterCrash(restart.history(), 0);
    }
    assertThat(decision).isInstanceOf(GiveUp.class);
    assertThat(waits)
        .containsExactly(ofSeconds(1), ofSeconds(2), ofSeconds(4), ofSeconds(8), ofSeconds(16));
  }

  @Test
  void forgetsACrashThatIsOlderThanTheWindow() {
    History history = History.CLEAN;
    for (int hour = 0; hour < 100; hour++) {
      RestartLimit.Decision decision =
          LIMIT.afterCrash(history, Duration.ofMinutes(5L * hour).toNanos());
      assertThat(decision).isEqualTo(new Restart(ofSeconds(1), decision.history()));
      history = decision.history();
    }
  }

  @Property
  void neverRestartsMoreThanTheLimitInAnyWindow(
      @ForAll @Size(max = 60) List<@IntRange(max = 200) Integer> gapsSeconds) {
    History history = History.CLEAN;
    List<Long> restarts = new ArrayList<>();
    long now = 0;
    for (int gap : gapsSeconds) {
      now += ofSeconds(gap).toNanos();
      RestartLimit.Decision decision = LIMIT.afterCrash(history, now);
      history = decision.history();
      assertThat(history.crashes()).isLessThanOrEqualTo(6);
      if (decision instanceof GiveUp) {
        break;
      }
      restarts.add(now);
    }
    for (long from : restarts) {
      assertThat(restarts.stream().filter(at -> at >= from && at - from < LIMIT.window().toNanos()))
          .hasSizeLessThanOrEqualTo(5);
    }
  }
}
