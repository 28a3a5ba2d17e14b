package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
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

  /** More holds of the past than these are forgotten, the oldest first. */
  private static final int PAST_MAX = 64;

  private static final double SPREAD = 0.2;

  private final String name;
  private final Time time;
  private final DoubleSupplier random;
  private final Deque<Held> past = new ArrayDeque<>(); // of the lock; the newest is the last
  private volatile Hold hold;

  private record Hold(long untilNanos, long lengthNanos) {}

  /** A hold by the wall clock. */
  private record Held(Instant from, Instant until) {
    Duration within(Instant since, Instant now) {
      Instant begun = from.isAfter(since) ? from : since;
      Instant ended = until.isBefore(now) ? until : now;
      return begun.isBefore(ended) ? Duration.between(begun, ended) : Duration.ZERO;
    }
  }

  RetryAfterHold(String name, Time time, DoubleSupplier random) {
    this.name = name;
    this.time = time;
    this.random = random;
    this.hold = new Hold(time.nanos(), 0);
  }

  /**
   * Begins or prolongs the hold when the failure is the dependency's own and names a wait, of which
   * {@code max} counts. Returns whether it did.
   */
  synchronized boolean observe(Failure failure, Duration max) {
    boolean own =
        failure.code() != FailureCode.CIRCUIT_OPEN && failure.code() != FailureCode.BULKHEAD_FULL;
    boolean lasts =
        failure.kind() == FailureKind.TRANSIENT || failure.kind() == FailureKind.PERMANENT;
    Duration asked = failure.retryAfter().compareTo(max) > 0 ? max : failure.retryAfter();
    return own && lasts && asked.isPositive() && begin(asked, asked);
  }

  /** Goes on with a hold that an earlier process began. */
  synchronized void restore(GuardState.Wait wait) {
    Duration left = wait.left(time.now());
    if (left.isPositive()) {
      begin(left, wait.length());
    }
  }

  private boolean begin(Duration left, Duration whole) {
    long until = time.nanos() + left.toNanos();
    if (until - hold.untilNanos() <= 0) {
      return false;
    }
    hold = new Hold(until, whole.toNanos());
    Instant now = time.now();
    Held last = past.peekLast();
    boolean goesOn = last != null && !last.from().isAfter(now) && !last.until().isBefore(now);
    past.addLast(new Held(goesOn ? past.removeLast().from() : now, now.plus(left)));
    if (past.size() > PAST_MAX) {
      past.removeFirst();
    }
    return true;
  }

  /** How much of the time since then, by the wall clock, calls were held back. */
  synchronized Duration heldSince(Instant since) {
    Instant now = time.now();
    return past.stream().map(held -> held.within(since, now)).reduce(Duration.ZERO, Duration::plus);
  }

  /** The hold, for a process that goes on with it. */
  GuardState.Wait state() {
    Duration left = left();
    return left.isZero()
        ? GuardState.Wait.NONE
        : new GuardState.Wait(time.now().plus(left), Duration.ofNanos(hold.lengthNanos()));
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
    Held last = past.peekLast();
    if (last != null && last.until().isAfter(time.now())) {
      past.removeLast();
      past.addLast(new Held(last.from(), time.now()));
    }
  }
}
