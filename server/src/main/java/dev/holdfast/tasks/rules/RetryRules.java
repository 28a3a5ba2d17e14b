package dev.holdfast.tasks.rules;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * How often a worker agent is asked again, and after what wait.
 *
 * @param maxAttempts the first one included
 */
public record RetryRules(int maxAttempts, Duration initialBackoff, Duration maxBackoff) {
  public static final RetryRules DEFAULT =
      new RetryRules(3, Duration.ofMillis(500), Duration.ofSeconds(5));

  private static final int SHIFT_MAX = 40;

  public RetryRules {
    Check.inRange("max_attempts", maxAttempts, 1, 10);
    Check.atLeast("initial_backoff_ms", initialBackoff, Duration.ofMillis(1));
    Check.inRange("max_backoff_ms", maxBackoff, initialBackoff, Duration.ofHours(1));
  }

  /** The section {@code retry} of an agent; what is absent is as in {@code base}. */
  public static RetryRules from(Section retry, RetryRules base) {
    return new RetryRules(
        retry.whole("max_attempts", base.maxAttempts),
        retry.millis("initial_backoff_ms", base.initialBackoff.toMillis()),
        retry.millis("max_backoff_ms", base.maxBackoff.toMillis()));
  }

  /**
   * The longest wait after an attempt that failed: {@code min(initial * 2^(attempt-1), max)}.
   *
   * @param attempt from 1
   */
  public Duration backoff(int attempt) {
    if (attempt < 1) {
      throw new IllegalArgumentException("no attempt has failed yet: " + attempt);
    }
    int shift = Math.min(attempt - 1, SHIFT_MAX);
    long millis = initialBackoff.toMillis();
    return millis > maxBackoff.toMillis() >> shift
        ? maxBackoff
        : Duration.ofMillis(millis << shift);
  }

  /**
   * The wait after an attempt that failed: from half of {@link #backoff} to all of it, so that
   * tasks that failed together do not come back together.
   *
   * @param chance from 0 to below 1
   */
  public Duration wait(int attempt, double chance) {
    long most = backoff(attempt).toMillis();
    return Duration.ofMillis(most / 2 + Math.round((most - most / 2) * chance));
  }
}
