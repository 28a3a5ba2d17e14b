package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ListRefreshTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final ManualTime time = new ManualTime();
  private final ListRefresh refresh = new ListRefresh(Pace.USUAL, time);

  private Duration waitAfterAChange() {
    refresh.changed();
    Duration wait = refresh.waitAtMost(LONG);
    time.advance(wait);
    assertThat(refresh.isDue()).isTrue();
    refresh.done();
    return wait;
  }

  @Test
  void untilItChangesAListIsNotReadAgain() {
    assertThat(refresh.waitAtMost(LONG)).isEqualTo(LONG);
    time.advance(LONG);
    assertThat(refresh.isDue()).isFalse();
  }

  @Test
  void changesInARowAreReadTogetherSoonAfterTheFirst() {
    refresh.changed();
    time.advance(Duration.ofMillis(150));
    refresh.changed();
    assertThat(refresh.waitAtMost(LONG)).isEqualTo(Duration.ofMillis(50));
    assertThat(refresh.isDue()).isFalse();
    time.advance(Duration.ofMillis(50));
    assertThat(refresh.isDue()).isTrue();
    refresh.done();
    assertThat(refresh.isDue()).isFalse();
  }

  @Test
  void aListThatChangesWheneverItIsReadIsReadEverMoreRarely() {
    assertThat(waitAfterAChange()).isEqualTo(Duration.ofMillis(200));
    assertThat(waitAfterAChange()).isEqualTo(Duration.ofMillis(400));
    for (int i = 0; i < 10; i++) {
      waitAfterAChange();
    }
    assertThat(waitAfterAChange()).isEqualTo(Duration.ofSeconds(60));
    time.advance(Pace.USUAL.heartbeat());
    assertThat(waitAfterAChange()).as("after a quiet time").isEqualTo(Duration.ofMillis(200));
  }
}
