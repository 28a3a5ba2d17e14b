package dev.holdfast.tests.bench;

import java.time.Duration;

/**
 * How long and how much.
 *
 * @param quick a look instead of a measurement
 */
record Scale(boolean quick) {
  Duration span(int fullSecs) {
    return Duration.ofSeconds(quick ? Math.max(2, fullSecs / 4) : fullSecs);
  }

  /**
   * As long as the JIT needs; never shortened, for a cold JVM's figures are off by a factor of
   * thirty.
   */
  Duration warmUp() {
    return Duration.ofSeconds(8);
  }

  int count(int full, int small) {
    return quick ? small : full;
  }
}
