package dev.holdfast.resilience;

/** What can happen to a breaker. An event that answers a permit carries the permit's epoch. */
sealed interface BreakerEvent {
  /** A call asks to be let through; as a trial it would be given until {@code trialEndsNanos}. */
  record Asked(long trialEndsNanos) implements BreakerEvent {}

  record Succeeded(long epoch) implements BreakerEvent {}

  /** A transient failure of the dependency itself. */
  record Failed(long epoch) implements BreakerEvent {}

  /**
   * A transient failure of one part of the dependency, as one conversation of an account. {@code
   * enough}: so many parts failed with no success between that it is the dependency's failure.
   */
  record PartFailed(long epoch, boolean enough) implements BreakerEvent {}

  /** The call says nothing about the dependency: it was wrong, refused for good, or cancelled. */
  record Neutral(long epoch) implements BreakerEvent {}

  /** The timer that the opening of this epoch has set. */
  record Elapsed(long epoch) implements BreakerEvent {}

  /** Opened for one wait. */
  record Tripped() implements BreakerEvent {}

  /** Opened by hand, until it is closed by hand. */
  record BlockedByHand() implements BreakerEvent {}

  /** Closed by hand. */
  record Reset() implements BreakerEvent {}
}
