package dev.holdfast.resilience;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/** How often a call is tried, the first try included, and the waits between. */
public record RetrySettings(int maxAttempts, Duration initialBackoff, Duration maxBackoff) {
  public RetrySettings {
    Check.inRange("max_attempts", maxAttempts, 1, 100);
    Check.atLeast("initial_backoff_ms", initialBackoff, Duration.ofMillis(1));
    Check.atLeast("max_backoff_ms", maxBackoff, initialBackoff);
  }

  public static RetrySettings from(Section retry, RetrySettings fallback) {
    return new RetrySettings(
        retry.whole("max_attempts", fallback.maxAttempts),
        retry.millis("initial_backoff_ms", fallback.initialBackoff.toMillis()),
        retry.millis("max_backoff_ms", fallback.maxBackoff.toMillis()));
  }

  Backoff backoff() {
    return new Backoff(initialBackoff, maxBackoff);
  }
}
