package dev.holdfast.resilience;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * When a breaker opens, for how long, and when it closes again.
 *
 * @param failureThreshold this many transient failures in a row open it
 * @param successThreshold this many successes in a row close it when it is half open
 * @param initialBackoff how long it stays open the first time
 * @param maxBackoff the wait doubles at each re-opening, up to this
 */
public record BreakerSettings(
    int failureThreshold, int successThreshold, Duration initialBackoff, Duration maxBackoff) {
  public static final BreakerSettings DEFAULT =
      new BreakerSettings(5, 2, Duration.ofSeconds(10), Duration.ofSeconds(120));

  public BreakerSettings {
    Check.inRange("failure_threshold", failureThreshold, 1, 1000);
    Check.inRange("success_threshold", successThreshold, 1, 1000);
    Check.atLeast("initial_backoff_ms", initialBackoff, Duration.ofMillis(1));
    Check.atLeast("max_backoff_ms", maxBackoff, initialBackoff);
  }

  /** A breaker's entry in holdfast.yaml; what it does not name is as in {@code fallback}. */
  public static BreakerSettings from(Section breaker, BreakerSettings fallback) {
    return new BreakerSettings(
        breaker.whole("failure_threshold", fallback.failureThreshold),
        breaker.whole("success_threshold", fallback.successThreshold),
        breaker.millis("initial_backoff_ms", fallback.initialBackoff.toMillis()),
        breaker.millis("max_backoff_ms", fallback.maxBackoff.toMillis()));
  }

  /** How long it stays open, by how often it has opened. */
  public Backoff backoff() {
    return new Backoff(initialBackoff, maxBackoff);
  }
}
