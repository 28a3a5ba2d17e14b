package dev.holdfast.resilience;

import java.time.Duration;
import java.time.Instant;

/**
 * What a guard must still know after a restart.
 *
 * @param failures transient failures in a row
 * @param opens how often the breaker opened since it was last closed; 0 when it is closed
 * @param open how long the breaker stays open
 * @param hold how long the dependency has asked to be left alone
 */
public record GuardState(int failures, int opens, Wait open, Wait hold) {
  /** Nothing failed. */
  static final GuardState WELL = new GuardState(0, 0, Wait.NONE, Wait.NONE);

  /**
   * A wait by the wall clock, with its length, so that a clock that was set back cannot prolong it.
   */
  public record Wait(Instant until, Duration length) {
    static final Wait NONE = new Wait(Instant.EPOCH, Duration.ZERO);

    /** Of a breaker that was opened by hand; to milliseconds, as it is stored. */
    static final Wait UNTIL_RESET =
        new Wait(Instant.parse("9999-12-31T23:59:59Z"), Duration.ofDays(3_000_000));

    /** What is left of it: never negative, never more than the whole. */
    Duration left(Instant now) {
      Duration left = Duration.between(now, until);
      if (left.isNegative()) {
        return Duration.ZERO;
      }
      return left.compareTo(length) > 0 ? length : left;
    }
  }
}
