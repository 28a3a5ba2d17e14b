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
  public static Verdict of(Failure failure) {
    return new Verdict(CallOutcome.of(failure), RetryAfterHold.HOLD_MAX);
  }

  /**
   * The verdict on one of many parts: its failure alone says nothing of the others, while a wait
   * that it asks for holds for all.
   *
   * @param enough whether so many parts have failed that it is the dependency
   */
  public static Verdict ofPart(boolean enough) {
    return new Verdict(
        enough ? CallOutcome.PARTS_FAILED : CallOutcome.PART_FAILED, RetryAfterHold.HOLD_MAX);
  }
}
