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
    return windows.admits(key, ++next, 0, most);
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
    assertThat(windows.admits(1, 7, 0, 2)).isTrue();
    assertThat(windows.admits(1, 7, 0, 2)).isTrue();
    assertThat(windows.admits(1, 8, 0, 2)).isTrue();
    assertThat(windows.admits(1, 9, 0, 2)).isFalse();
    assertThat(windows.admits(1, 7, 0, 2)).isTrue();
    assertThat(windows.admits(1, 9, 0, 2)).as("not admitted before either").isFalse();
  }

  @Test
  void whatComesLateCountsWhenItWasWritten() throws Exception {
    time.advance(Duration.ofHours(1));
    long hourAgo = time.now().minus(Duration.ofHours(1)).toEpochMilli();
    for (int i = 0; i < 60; i++) {
      assertThat(windows.admits(1, i, hourAgo + 20_000L * i, 3)).as("three a minute").isTrue();
    }
    assertThat(windows.admits(1, 100, hourAgo + 30_000, 3)).as("a fourth then").isFalse();
    assertThat(windows.admits(1, 7, hourAgo + 140_000, 3)).as("the same again").isTrue();
    assertThat(admits(1, 3)).as("now").isTrue();
    for (int i = 200; i < 210; i++) {
      assertThat(windows.admits(2, i, hourAgo + 100L * i, 3))
          .as("%d of a flood", i)
          .isEqualTo(i < 203);
    }
  }

  @Test
  void whatIsSaidToBeOfTheFutureOrOfNoTimeWasWrittenNow() {
    long now = time.now().toEpochMilli();
    assertThat(windows.admits(1, 1, now + 3_600_000, 2)).isTrue();
    assertThat(windows.admits(1, 2, -5, 2)).isTrue();
    assertThat(windows.admits(1, 3, Long.MAX_VALUE, 2)).isFalse();
    assertThat(windows.admits(1, 4, Long.MIN_VALUE, 2)).isFalse();
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
      boolean _ = admits(i % 2_000, 10_000);
    }
    assertThat(windows.messages()).isLessThanOrEqualTo(RateWindows.MESSAGES_MAX);
  }
}
