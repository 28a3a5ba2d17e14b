package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.Standstill;
import dev.holdfast.time.TimeLimit;

/**
 * Interrupts a call that outlives its deadline, and tells that interrupt from one that cancels the
 * caller.
 */
final class DeadlineWatch {
  private DeadlineWatch() {}

  /**
   * Runs the call on this thread. One that succeeds in spite of the interrupt is a success: its
   * work is done. Time in which the process stood still does not end it.
   *
   * @throws CallFailedException {@code TIMEOUT} when the deadline ended it
   */
  static <T> T run(Deadline deadline, Call<T> call)
      throws CallFailedException, InterruptedException {
    TimeLimit limit =
        TimeLimit.start(
            deadline.time(),
            deadline.left(),
            _ -> Standstill.CATCH_UP,
            Thread.currentThread()::interrupt);
    try {
      return call.run();
    } catch (InterruptedException e) {
      if (limit.isExpired()) {
        throw timeout(e);
      }
      throw e;
    } catch (CallFailedException e) {
      if (limit.isExpired() && e.failure().code() == FailureCode.CANCELLED) {
        throw timeout(e);
      }
      throw e;
    } finally {
      limit.close();
      if (limit.isExpired()) {
        Thread.interrupted(); // its interrupt does not outlive it
      }
    }
  }

  static CallFailedException timeout(Throwable cause) {
    return new CallFailedException(
        Failure.of(FailureCode.TIMEOUT, "the call took longer than it was given"), cause);
  }
}
