package dev.holdfast.modes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DownTimesTest {
  private final ManualTime time = new ManualTime();
  private final DownTimes downTimes = new DownTimes(time);

  @Test
  void aPartIsDownFromTheFirstLookThatFindsItSoAndAnewAfterItWasUp() {
    assertThat(downTimes.of(List.of("a"))).containsExactly(new DownPart("a", Duration.ZERO));
    time.advance(Duration.ofSeconds(7));
    assertThat(downTimes.of(List.of("b", "a")))
        .containsExactly(
            new DownPart("a", Duration.ofSeconds(7)), new DownPart("b", Duration.ZERO));
    assertThat(downTimes.of(List.of())).isEmpty();
    time.advance(Duration.ofSeconds(7));
    assertThat(downTimes.of(List.of("a"))).containsExactly(new DownPart("a", Duration.ZERO));
  }
}
