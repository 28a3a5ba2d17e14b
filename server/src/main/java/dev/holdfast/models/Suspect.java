package dev.holdfast.models;

import dev.holdfast.api.Failure;

/** What may be the cause of a model's failure. */
public enum Suspect {
  /** Neither: no model was asked. */
  NONE,
  /** The provider, whatever it was asked. */
  PROVIDER,
  /** What was asked may be what the provider breaks on. */
  REQUEST;

  static Suspect of(Failure failure) {
    return switch (failure.code()) {
      case CIRCUIT_OPEN, BULKHEAD_FULL, AGENT_UNAVAILABLE, CANCELLED -> NONE;
      case AUTH, QUOTA, RATE_LIMITED, OVERLOADED, IO -> PROVIDER;
      default -> failure.isUnsent() ? PROVIDER : REQUEST;
    };
  }

  /** The graver of two: of several models that failed, one may have broken on the request. */
  Suspect or(Suspect other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
