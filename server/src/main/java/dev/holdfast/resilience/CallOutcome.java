package dev.holdfast.resilience;

import dev.holdfast.api.Failure;

/** What a call's end says about the dependency. */
public enum CallOutcome {
  SUCCEEDED,
  FAILED,
  /** One part of it failed, which alone says nothing of the others. */
  PART_FAILED,
  /** So many of its parts failed, with no success between, that it is the dependency. */
  PARTS_FAILED,
  NEUTRAL;

  public static CallOutcome of(Failure failure) {
    return switch (failure.code()) {
      // Our own refusals: the dependency was not asked.
      case CIRCUIT_OPEN, BULKHEAD_FULL, CANCELLED, AGENT_UNAVAILABLE -> NEUTRAL;
      default ->
          switch (failure.kind()) {
            case TRANSIENT -> FAILED;
            case INVALID, PERMANENT, FATAL -> NEUTRAL;
          };
    };
  }

  void settle(BreakerPermit permit) {
    switch (this) {
      case SUCCEEDED -> permit.succeeded();
      case FAILED -> permit.failed();
      case PART_FAILED -> permit.partFailed(false);
      case PARTS_FAILED -> permit.partFailed(true);
      case NEUTRAL -> permit.neutral();
    }
  }
}
