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

  int count(int full, int small) {
    return quick ? small : full;
  }
}
