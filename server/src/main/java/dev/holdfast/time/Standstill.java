package dev.holdfast.time;

import java.time.Duration;

/**
 * A time in which the whole process did nothing: it was stopped (SIGSTOP), the machine slept, or
 * memory was swept for long. What comes due meanwhile is met much too late, all at once, and maybe
 * before the news that came in time. So who is late by more than {@link #NOTICED} does not blame
 * others for it: see {@link TimeLimit}, and {@link SecondLook} for who only looks now and then.
 */
public final class Standstill {
  /** A moment that is met this much too late says that the process stood still. */
  public static final Duration NOTICED = Duration.ofMillis(250);

  /** How long is waited behind a standstill for what has come meanwhile to be read. */
  public static final Duration CATCH_UP = Duration.ofSeconds(1);

  private Standstill() {}

  /**
   * For how long, at least, the process stood still, seen by one who waited for a moment and acts
   * on it now; zero when it did not.
   *
   * @param dueNanos the moment, by {@link Time#nanos}
   */
  public static Duration since(long dueNanos, Time time) {
    Duration late = Duration.ofNanos(time.nanos() - dueNanos);
    return late.compareTo(NOTICED) > 0 ? late : Duration.ZERO;
  }
}
