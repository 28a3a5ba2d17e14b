package dev.holdfast.store.engine;

import java.time.Instant;

/** Times as they stand in rows. */
public final class Timestamps {
  private Timestamps() {}

  /**
   * Milliseconds since 1970; the ends of all time, such as {@link Instant#MAX}, as far as they go.
   */
  public static long of(Instant at) {
    try {
      return at.toEpochMilli();
    } catch (ArithmeticException _) {
      return at.isAfter(Instant.EPOCH) ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
  }
}
