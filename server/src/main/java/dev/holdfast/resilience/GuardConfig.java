package dev.holdfast.resilience;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * What a guard's owner decides; the breaker's settings come from {@link GuardsConfig}.
 *
 * @param rateLimit tries after an answer that says "too many requests"
 * @param serverError tries after every other transient failure
 * @param budgetPercent retries of the last minute, in percent of its first tries; ten a minute are
 *     always allowed
 * @param maxConcurrent calls at once
 * @param bulkheadWait how long a call waits for its place at most
 */
public record GuardConfig(
    RetrySettings rateLimit,
    RetrySettings serverError,
    int budgetPercent,
    int maxConcurrent,
    Duration bulkheadWait) {
  public static final GuardConfig DEFAULT =
      new GuardConfig(
          new RetrySettings(5, Duration.ofSeconds(1), Duration.ofSeconds(60)),
          new RetrySettings(3, Duration.ofSeconds(1), Duration.ofSeconds(30)),
          20,
          32,
          Duration.ofSeconds(60));

  public GuardConfig {
    Check.inRange("budget_percent", budgetPercent, 0, 1000);
    Check.inRange("max_concurrent", maxConcurrent, 1, 100_000);
    Check.atLeast("bulkhead_wait", bulkheadWait, Duration.ZERO);
  }

  /**
   * Reads a {@code retry} section: {@code rate_limit}, {@code server_error}, {@code
   * budget_percent}.
   */
  public static GuardConfig from(Section retry) {
    return new GuardConfig(
        retry.section("rate_limit").read(s -> RetrySettings.from(s, DEFAULT.rateLimit)),
        retry.section("server_error").read(s -> RetrySettings.from(s, DEFAULT.serverError)),
        retry.whole("budget_percent", DEFAULT.budgetPercent),
        DEFAULT.maxConcurrent,
        DEFAULT.bulkheadWait);
  }

  public GuardConfig withMaxConcurrent(int calls) {
    return new GuardConfig(rateLimit, serverError, budgetPercent, calls, bulkheadWait);
  }

  /** One try a call: for callers that keep their own record of tries, as the outbox does. */
  public GuardConfig withoutRetries() {
    RetrySettings once = new RetrySettings(1, rateLimit.initialBackoff(), rateLimit.maxBackoff());
    return new GuardConfig(once, once, budgetPercent, maxConcurrent, bulkheadWait);
  }
}
