package dev.holdfast.time;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread is about to do; for no longer than a slow machine may need. */
public final class TimedWait {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration STEP = Duration.ofMillis(2);

  private TimedWait() {}

  /**
   * Blocks until the condition is true.
   *
   * @param what is waited for, as the failure names it
   * @throws AssertionError when it is not true within 20 s
   */
  public static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not within " + LIMIT.toSeconds() + " s: " + what);
      }
      LockSupport.parkNanos(STEP.toNanos());
    }
  }
}
