package dev.holdfast.resilience;

import dev.holdfast.api.Failure;

/** What a call's end says about the dependency. */
enum Outcome {
  SUCCEEDED,
  FAILED,
  NEUTRAL;

  static Outcome of(Failure failure) {
    return switch (failure.code()) {
      // Our own refusals: the dependency was not asked.
      case CIRCUIT_OPEN, BULKHEAD_FULL, CANCELLED -> NEUTRAL;
      default ->
          switch (failure.kind()) {
            case TRANSIENT -> FAILED;
            case INVALID, PERMANENT, FATAL -> NEUTRAL;
          };
    };
  }

  void settle(Permit permit) {
    switch (this) {
      case SUCCEEDED -> permit.succeeded();
      case FAILED -> permit.failed();
      case NEUTRAL -> permit.neutral();
    }
  }
}
