package dev.holdfast.agents.thread;

/** How serving a batch ended. */
enum TurnOutcome {
  /** Its events have ended. */
  DONE,
  AWAITS_MODEL,
  /** It asked a person and waits for the answer. */
  AWAITS_PERSON,
  /** Some of its events are open on disk, for another turn or the next start. */
  LEFT
}
