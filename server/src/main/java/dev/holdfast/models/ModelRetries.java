package dev.holdfast.models;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * How often a call to a model is made again: what the guards of the providers are made of.
 *
 * @param budgetPercent how many retries there may be for a hundred calls
 */
public record ModelRetries(Tries rateLimit, Tries serverError, int budgetPercent) {
  /**
   * @param attemptsMax the first try counts
   * @param waitFirst doubled after each failure, up to {@code waitMax}
   */
  public record Tries(int attemptsMax, Duration waitFirst, Duration waitMax) {
    public Tries {
      Check.inRange("max_attempts", attemptsMax, 1, 20);
      Check.atLeast("initial_backoff_ms", waitFirst, Duration.ofMillis(1));
      Check.atLeast("max_backoff_ms", waitMax, waitFirst);
    }

    static Tries from(Section tries, int attemptsMax, long waitMaxMillis) {
      return new Tries(
          tries.whole("max_attempts", attemptsMax),
          tries.millis("initial_backoff_ms", 1000),
          tries.millis("max_backoff_ms", waitMaxMillis));
    }
  }

  public ModelRetries {
    Check.inRange("budget_percent", budgetPercent, 0, 1000);
  }

  public static ModelRetries from(Section retry) {
    return new ModelRetries(
        retry.section("rate_limit").read(tries -> Tries.from(tries, 5, 60_000)),
        retry.section("server_error").read(tries -> Tries.from(tries, 3, 30_000)),
        retry.whole("budget_percent", 20));
  }
}
