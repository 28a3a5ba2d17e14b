package dev.holdfast.resilience;

import io.vertx.circuitbreaker.CircuitBreakerState;

/**
 * Where a breaker stands. The epoch grows with every move that makes older permits void, so an
 * outcome that comes too late, or a timer that was overtaken, changes nothing.
 */
sealed interface BreakerState {
  long epoch();

  /** Transient failures in a row. */
  int failures();

  /** How often it opened since it was last closed. */
  int opens();

  record Closed(long epoch, int failures) implements BreakerState {
    @Override
    public int opens() {
      return 0;
    }
  }

  /** Lets nothing through until the clock that never jumps shows {@code untilNanos}. */
  record Open(long epoch, int failures, int opens, long untilNanos) implements BreakerState {}

  /** Lets nothing through until it is reset by hand. */
  record Blocked(long epoch, int failures, int opens) implements BreakerState {}

  /** Waits for a call to try with. */
  record HalfOpen(long epoch, int failures, int opens, int successes) implements BreakerState {}

  /** Half open with its one call under way, which counts as lost after {@code trialEndsNanos}. */
  record Trying(long epoch, int failures, int opens, int successes, long trialEndsNanos)
      implements BreakerState {}

  /** Whether no call has succeeded since it opened. */
  default boolean isFailing() {
    return switch (this) {
      case Closed _ -> false;
      case Open _, Blocked _ -> true;
      case HalfOpen half -> half.successes() == 0;
      case Trying trying -> trying.successes() == 0;
    };
  }

  /** The three states that the outside knows. */
  default CircuitBreakerState shown() {
    return switch (this) {
      case Closed _ -> CircuitBreakerState.CLOSED;
      case Open _, Blocked _ -> CircuitBreakerState.OPEN;
      case HalfOpen _, Trying _ -> CircuitBreakerState.HALF_OPEN;
    };
  }
}
