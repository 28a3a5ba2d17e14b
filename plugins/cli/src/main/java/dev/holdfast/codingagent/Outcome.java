package dev.holdfast.codingagent;

/** How a run of a coding agent has ended. */
sealed interface Outcome {
  SessionUsage usage();

  /**
   * @param text its last words
   */
  record Done(String text, SessionUsage usage) implements Outcome {}

  /** It was stopped because a person has to be asked first. */
  record Asks(PermissionRequest request, SessionUsage usage) implements Outcome {}

  /** It does not know the session that it was to go on with; it has done nothing. */
  record SessionLost(SessionUsage usage) implements Outcome {}
}
