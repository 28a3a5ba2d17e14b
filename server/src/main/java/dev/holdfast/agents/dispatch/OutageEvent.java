package dev.holdfast.agents.dispatch;

/** What can happen to turns that need a model. */
sealed interface OutageEvent {
  /** The server has started with turns that waited before. */
  record FoundParked() implements OutageEvent {}

  /** A model has answered somebody. */
  record ModelAnswered() implements OutageEvent {}

  /**
   * A turn has asked in vain.
   *
   * @param alone whether models have answered others since its last failure
   */
  record Failed(String threadId, boolean alone) implements OutageEvent {}

  /** A turn could not even ask: every model is to be left alone for now. */
  record Refused(String threadId) implements OutageEvent {}

  record ProbeBegun(String threadId) implements OutageEvent {}

  /** The turn of that thread has ended without having asked a model. */
  record ProbeEnded(String threadId) implements OutageEvent {}

  /** The turn that asks takes so long that it is not waited for any more. */
  record ProbeSilent() implements OutageEvent {}
}
