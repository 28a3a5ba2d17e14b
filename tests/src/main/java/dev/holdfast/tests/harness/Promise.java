package dev.holdfast.tests.harness;

import java.time.Duration;

/**
 * A span of time that was promised, measured. The figure is always printed; it fails only beyond
 * what a busy machine explains, which is {@code -Dholdfast.slowness} times the promise.
 */
public final class Promise {
  /** How many times what was promised a busy machine may take. */
  static final int SLOWNESS = Integer.getInteger("holdfast.slowness", 3);

  private Promise() {}

  /**
   * What began at {@code sinceNanos} of {@link System#nanoTime} ends now.
   *
   * @throws AssertionError when it took too long
   */
  public static void kept(String what, Duration promised, long sinceNanos) {
    Duration took = Duration.ofNanos(System.nanoTime() - sinceNanos);
    Duration limit = promised.multipliedBy(SLOWNESS);
    String measured =
        "%s: %d ms, promised %d".formatted(what, took.toMillis(), promised.toMillis());
    System.out.println(measured);
    if (took.compareTo(limit) > 0) {
      throw new AssertionError(measured + ", never more than " + limit.toMillis());
    }
  }
}
