package dev.holdfast.browser;

import java.time.Duration;

/**
 * Leaves the page of one conversation alone for a while when it has failed too often in a row. For
 * one thread.
 */
final class Breaker {
  static final int FAILURES_MAX = 3;
  static final Duration REST = Duration.ofSeconds(30);

  private int failures;
  private long openedNanos;

  /** How long it still rests; zero when it may be used. */
  Duration rest(long nowNanos) {
    if (failures < FAILURES_MAX) {
      return Duration.ZERO;
    }
    Duration left = REST.minusNanos(nowNanos - openedNanos);
    return left.isPositive() ? left : Duration.ZERO;
  }

  void worked() {
    failures = 0;
  }

  /** Returns whether it opened by that; after a rest, one failure is enough. */
  boolean failed(long nowNanos) {
    failures = Math.min(failures + 1, FAILURES_MAX);
    openedNanos = nowNanos;
    return failures == FAILURES_MAX;
  }
}
