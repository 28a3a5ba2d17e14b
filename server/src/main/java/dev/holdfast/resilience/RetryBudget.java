package dev.holdfast.resilience;

import dev.holdfast.time.Time;

/**
 * Lets retries be only a share of the calls, so that they cannot multiply the load on a dependency
 * that is down. Counts the last minute in slices of ten seconds. Thread-safe.
 */
final class RetryBudget {
  /**
   * Always allowed each minute, so that a dependency that is seldom called can be retried at all.
   */
  static final int FLOOR = 10;

  private static final int SLICES = 6;
  private static final long SLICE_NANOS = 10_000_000_000L;

  private final int percent;
  private final Time time;
  private final long startNanos;
  private final long[] firsts = new long[SLICES];
  private final long[] retries = new long[SLICES];
  private long sliceNow;

  RetryBudget(int percent, Time time) {
    this.percent = percent;
    this.time = time;
    this.startNanos = time.nanos();
  }

  /** A call's first try. */
  synchronized void first() {
    firsts[turn()]++;
  }

  /** Takes one retry out of the budget; false when it is spent. */
  synchronized boolean take() {
    int slice = turn();
    if (sum(retries) >= FLOOR + sum(firsts) * percent / 100) {
      return false;
    }
    retries[slice]++;
    return true;
  }

  private int turn() {
    long slice = (time.nanos() - startNanos) / SLICE_NANOS;
    for (long passed = Math.max(sliceNow + 1, slice - SLICES + 1); passed <= slice; passed++) {
      firsts[(int) (passed % SLICES)] = 0;
      retries[(int) (passed % SLICES)] = 0;
    }
    sliceNow = Math.max(sliceNow, slice);
    return (int) (sliceNow % SLICES);
  }

  private static long sum(long[] slices) {
    long sum = 0;
    for (long slice : slices) {
      sum += slice;
    }
    return sum;
  }
}
