package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.Time;

/**
 * Interrupts a call that outlives its deadline, and tells that interrupt from one that cancels the
 * caller.
 */
final class DeadlineWatch {
  private final Thread caller = Thread.currentThread();
  private boolean fired;
  private boolean ended;

  private DeadlineWatch() {}

  /**
   * Runs the call on this thread. One that succeeds in spite of the interrupt is a success: its
   * work is done.
   *
   * @throws CallFailedException {@code TIMEOUT} when the deadline ended it
   */
  static <T> T run(Deadline deadline, Call<T> call)
      throws CallFailedException, InterruptedException {
    DeadlineWatch watch = new DeadlineWatch();
    Time.Timer timer = deadline.time().after(deadline.left(), watch::fire);
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
      timer.cancel();
      watch.end();
    }
  }

  static CallFailedException timeout(Throwable cause) {
    return new CallFailedException(
        Failure.of(FailureCode.TIMEOUT, "the call took longer than it was given"), cause);
  }

  private synchronized void fire() {
    if (!ended) {
      fired = true;
      caller.interrupt();
    }
  }

  /** Whether the deadline has interrupted the call; the interrupt does not outlive it. */
  private synchronized boolean end() {
    if (fired && !ended) {
      Thread.interrupted();
    }
    ended = true;
    return fired;
  }
}
