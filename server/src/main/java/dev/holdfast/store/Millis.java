package dev.holdfast.store;

import java.time.Instant;

/** Times as they stand in rows. */
final class Millis {
  private Millis() {}

  /**
   * Milliseconds since 1970; the ends of all time, such as {@link Instant#MAX}, as far as they go.
   */
  static long of(Instant at) {
    try {
      return at.toEpochMilli();
    } catch (ArithmeticException _) {
      return at.isAfter(Instant.EPOCH) ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
  }
}
