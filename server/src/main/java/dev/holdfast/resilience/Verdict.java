package dev.holdfast.resilience;

import dev.holdfast.api.Failure;
import java.time.Duration;

/**
 * What a failed call says about its dependency.
 *
 * @param holdMax the longest that the wait which the failure asks for holds back all other calls
 */
public record Verdict(CallOutcome outcome, Duration holdMax) {
  /** The verdict on a dependency that is one thing: whatever it says holds for every call. */
  static Verdict of(Failure failure) {
    return new Verdict(CallOutcome.of(failure), RetryAfterHold.HOLD_MAX);
  }
}
