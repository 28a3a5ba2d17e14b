package dev.holdfast.resilience;

import dev.holdfast.api.Failure;

/** What a call's end says about the dependency. */
enum CallOutcome {
  SUCCEEDED,
  FAILED,
  NEUTRAL;

  static CallOutcome of(Failure failure) {
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
      case NEUTRAL -> permit.neutral();
    }
  }
}
