package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Holds back every call to a dependency that has asked for a wait, not only the call that it told.
 * Thread-safe.
 */
final class RetryAfterHold {
  /**
   * The longest wait that is slept; a longer one is handed to the caller as the failure's
   * retry-after.
   */
  static final Duration SLEEP_MAX = Duration.ofSeconds(60);

  /** The longest hold: a dependency that asks for years must not silence itself for ever. */
  static final Duration HOLD_MAX = Duration.ofHours(1);

  private static final double SPREAD = 0.2;

  private final String name;
  private final Time time;
  private final DoubleSupplier random;
  private volatile Hold hold;

  private record Hold(long untilNanos, long lengthNanos) {}

  RetryAfterHold(String name, Time time, DoubleSupplier random) {
    this.name = name;
    this.time = time;
    this.random = random;
    this.hold = new Hold(time.nanos(), 0);
  }

  /** Begins or prolongs the hold when the failure is the dependency's own and names a wait. */
  synchronized void observe(Failure failure) {
    boolean own =
        failure.code() != FailureCode.CIRCUIT_OPEN && failure.code() != FailureCode.BULKHEAD_FULL;
    boolean lasts =
        failure.kind() == FailureKind.TRANSIENT || failure.kind() == FailureKind.PERMANENT;
    Duration asked = failure.retryAfter();
    if (!own || !lasts || asked.isZero()) {
      return;
    }
    long length = (asked.compareTo(HOLD_MAX) > 0 ? HOLD_MAX : asked).toNanos();
    long until = time.nanos() + length;
    if (until - hold.untilNanos() > 0) {
      hold = new Hold(until, length);
    }
  }

  /** What is left of the hold. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, hold.untilNanos() - time.nanos()));
  }

  /**
   * How long this call has to sleep before it may go on: what is left and up to a fifth of the hold
   * more, another for each caller, so that all who wait do not return at once.
   *
   * @throws CallFailedException {@code RATE_LIMITED} with the wait, when it is too long to sleep
   */
  Duration wait(Deadline deadline) throws CallFailedException {
    Hold held = hold;
    Duration left = left();
    if (left.isZero()) {
      return left;
    }
    Duration budget = deadline.left();
    if (left.compareTo(SLEEP_MAX) > 0 || left.compareTo(budget) >= 0) {
      throw refusal(left);
    }
    Duration spread = Duration.ofNanos((long) (held.lengthNanos() * SPREAD * random.getAsDouble()));
    Duration wait = left.plus(spread);
    return wait.compareTo(budget) < 0 ? wait : budget;
  }

  CallFailedException refusal(Duration left) {
    return new CallFailedException(
        Failure.of(
                FailureCode.RATE_LIMITED, name + " asked for a pause of " + left.toSeconds() + " s")
            .withRetryAfter(left));
  }

  /** Ends the hold by hand. */
  synchronized void clear() {
    hold = new Hold(time.nanos(), 0);
  }
}
