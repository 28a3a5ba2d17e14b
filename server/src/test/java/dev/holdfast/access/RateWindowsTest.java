package dev.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateWindowsTest {
  private final ManualTime time = new ManualTime();
  private final RateWindows windows = new RateWindows(time);
  private long next;

  private boolean admits(long key, int most) {
    return windows.admits(key, ++next, most);
  }

  @Test
  void noMinuteHasMoreThanTheLimitWhereverItBegins() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(admits(1, 3)).isTrue();
      time.advance(Duration.ofSeconds(10));
    }
    assertThat(admits(1, 3)).isFalse();
    assertThat(admits(2, 3)).as("another key").isTrue();
    time.advance(Duration.ofSeconds(30));
    assertThat(admits(1, 3)).as("the first is a minute old").isTrue();
    assertThat(admits(1, 3)).isFalse();
  }

  @Test
  void whatWasNotAdmittedDoesNotCount() throws Exception {
    for (int i = 0; i < 100; i++) {
      assertThat(admits(1, 3)).isEqualTo(i % 10 < 3);
      time.advance(Duration.ofSeconds(6));
    }
  }

  @Test
  void aMessageThatComesAgainIsAdmittedAgainAndCountedOnce() {
    assertThat(windows.admits(1, 7, 2)).isTrue();
    assertThat(windows.admits(1, 7, 2)).isTrue();
    assertThat(windows.admits(1, 8, 2)).isTrue();
    assertThat(windows.admits(1, 9, 2)).isFalse();
    assertThat(windows.admits(1, 7, 2)).isTrue();
    assertThat(windows.admits(1, 9, 2)).as("not admitted before either").isFalse();
  }

  @Test
  void ofALimitOfZeroNothingIsAdmitted() {
    assertThat(admits(1, 0)).isFalse();
  }

  @Test
  void noNumberOfKeysOrMessagesGrowsTheMemory() {
    for (int i = 0; i < 3 * RateWindows.KEYS_MAX; i++) {
      assertThat(admits(i, 30)).isTrue();
    }
    assertThat(windows.keys()).isEqualTo(RateWindows.KEYS_MAX);
    assertThat(windows.messages()).isEqualTo(RateWindows.KEYS_MAX);
    for (int i = 0; i < 2 * RateWindows.MESSAGES_MAX; i++) {
      boolean _ = admits(i % 100, 10_000);
    }
    assertThat(windows.messages()).isLessThanOrEqualTo(RateWindows.MESSAGES_MAX);
  }
}
