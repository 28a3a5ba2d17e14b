package dev.holdfast.resilience;

import java.time.Duration;

/** How long to wait after the n-th failure in a row: {@code min(initial * 2^(n-1), max)}. */
public record Backoff(Duration initial, Duration max) {
  private static final int DOUBLINGS_MAX = 40;

  public Backoff {
    if (initial.isNegative() || max.compareTo(initial) < 0) {
      throw new IllegalArgumentException("backoff from " + initial + " to " + max);
    }
  }

  /**
   * The wait without jitter.
   *
   * @param failures how many have failed, from 1
   */
  public Duration after(int failures) {
    if (failures < 1) {
      throw new IllegalArgumentException("nothing has failed yet: " + failures);
    }
    // Compared as a quotient, so that no number of failures can overflow.
    int doublings = Math.min(failures - 1, DOUBLINGS_MAX);
    boolean reachesMax = max.toNanos() >> doublings < Math.max(1, initial.toNanos());
    return reachesMax ? max : Duration.ofNanos(initial.toNanos() << doublings);
  }

  /**
   * Anything from nothing to the whole wait, so that callers that failed together do not return
   * together.
   *
   * <p>Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 ("full
   * jitter").
   *
   * @param random from 0 (inclusive) to 1 (exclusive)
   */
  public Duration withFullJitter(int failures, double random) {
    return Duration.ofNanos((long) (after(failures).toNanos() * random));
  }
}
