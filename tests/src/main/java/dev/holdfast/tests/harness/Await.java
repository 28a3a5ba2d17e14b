package dev.holdfast.tests.harness;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Waits for what another process does. The only place of these tests that sleeps: a process that is
 * watched from outside has no clock that could be moved by hand.
 */
public final class Await {
  private static final Duration STEP = Duration.ofMillis(20);

  private Await() {}

  /**
   * Blocks until the condition is true. A condition that throws an exception counts as not yet
   * true; an AssertionError ends the wait.
   *
   * @throws AssertionError after {@code limit}, naming {@code what} and the last exception
   */
  public static void until(String what, Duration limit, Callable<Boolean> condition) {
    value(what, limit, () -> condition.call() ? Optional.of(true) : Optional.empty());
  }

  /** The first present value of {@code source}; see {@link #until}. */
  public static <T> T value(String what, Duration limit, Callable<Optional<T>> source) {
    long end = System.nanoTime() + limit.toNanos();
    @Nullable Exception last = null;
    while (true) {
      try {
        Optional<T> found = source.call();
        if (found.isPresent()) {
          return found.get();
        }
        last = null;
      } catch (InterruptedException e) {
        throw interrupted(e);
      } catch (Exception e) {
        last = e;
      }
      if (System.nanoTime() > end) {
        throw new AssertionError("not within " + limit + ": " + what, last);
      }
      pause(STEP);
    }
  }

  /** Holds for the whole {@code span}, looked at every 20 ms. */
  public static void throughout(String what, Duration span, Callable<Boolean> condition)
      throws Exception {
    long end = System.nanoTime() + span.toNanos();
    while (System.nanoTime() < end) {
      if (!condition.call()) {
        throw new AssertionError("no longer true: " + what);
      }
      pause(STEP);
    }
  }

  /**
   * For the length of a fault, the moment of one and the pace of a load, which a test chooses. What
   * is to happen is awaited with {@link #until}, what is not to happen is watched with {@link
   * #throughout}.
   */
  public static void pause(Duration span) {
    try {
      Thread.sleep(span);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted while waiting", e);
  }
}
