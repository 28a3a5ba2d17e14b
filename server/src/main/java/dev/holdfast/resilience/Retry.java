package dev.holdfast.resilience;

import dev.holdfast.api.Failure;
import java.time.Duration;
import java.util.Optional;

/** Whether and when a failed call is made again. Stateless. */
record Retry(RetrySettings rateLimit, RetrySettings serverError) {
  /**
   * The wait before the next try; empty when there is none. A wait that the other side has named is
   * zero here: the {@link RetryAfterHold} makes every call wait for it.
   *
   * @param tries made so far, from 1
   * @param random from 0 to 1
   */
  Optional<Duration> waitAfter(Failure failure, int tries, double random) {
    if (!failure.isPassing() || failure.retryAfter().compareTo(RetryAfterHold.SLEEP_MAX) > 0) {
      return Optional.empty();
    }
    RetrySettings settings =
        switch (failure.code()) {
          // Our own refusals come out at once: the caller knows best what to do meanwhile.
          case CIRCUIT_OPEN, BULKHEAD_FULL, CANCELLED, AGENT_UNAVAILABLE -> null;
          case RATE_LIMITED -> rateLimit;
          default -> serverError;
        };
    if (settings == null || tries >= settings.maxAttempts()) {
      return Optional.empty();
    }
    return Optional.of(
        failure.retryAfter().isZero()
            ? settings.backoff().withFullJitter(tries, random)
            : Duration.ZERO);
  }
}
