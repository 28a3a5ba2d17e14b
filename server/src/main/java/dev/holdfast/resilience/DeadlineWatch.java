package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts a call that outlives its deadline, and tells that interrupt from one that cancels the
 * caller.
 */
final class DeadlineWatch {
  /** A timer that comes this much too late says that we stood still, not that the call is slow. */
  private static final Duration STANDSTILL = Duration.ofMillis(250);

  /** After a standstill: for what has come meanwhile. */
  private static final Duration CATCH_UP = Duration.ofSeconds(1);

  private final Thread caller = Thread.currentThread();
  private final Time time;
  private long dueNanos;
  private Time.@Nullable Timer timer;
  private boolean fired;
  private boolean ended;

  private DeadlineWatch(Time time) {
    this.time = time;
  }

  /**
   * Runs the call on this thread. One that succeeds in spite of the interrupt is a success: its
   * work is done. Time in which the process stood still does not end it.
   *
   * @throws CallFailedException {@code TIMEOUT} when the deadline ended it
   */
  static <T> T run(Deadline deadline, Call<T> call)
      throws CallFailedException, InterruptedException {
    DeadlineWatch watch = new DeadlineWatch(deadline.time());
    watch.fireAfter(deadline.left());
    try {
      return call.run();
    } catch (InterruptedException e) {
      if (watch.end()) {
        throw timeout(e);
      }
      throw e;
    } catch (CallFailedException e) {
      if (watch.end() && e.failure().code() == FailureCode.CANCELLED) {
        throw timeout(e);
      }
      throw e;
    } finally {
      watch.end();
    }
  }

  static CallFailedException timeout(Throwable cause) {
    return new CallFailedException(
        Failure.of(FailureCode.TIMEOUT, "the call took longer than it was given"), cause);
  }

  private synchronized void fireAfter(Duration wait) {
    dueNanos = time.nanos() + wait.toNanos();
    timer = time.after(wait, this::fire);
  }

  private synchronized void fire() {
    if (ended) {
      return;
    }
    if (time.nanos() - dueNanos > STANDSTILL.toNanos()) {
      fireAfter(CATCH_UP);
      return;
    }
    fired = true;
    caller.interrupt();
  }

  /** Whether the deadline has interrupted the call; the interrupt does not outlive it. */
  private synchronized boolean end() {
    if (fired && !ended) {
      Thread.interrupted();
    }
    ended = true;
    Time.Timer set = timer;
    if (set != null) {
      set.cancel();
    }
    return fired;
  }
}
