package dev.holdfast.agents.thread;

/** Where a thread agent stands. */
enum Phase {
  STARTING("idle"),
  IDLE("idle"),
  BUSY("queued"),
  PARKED("parked"),
  /** What was parked is being ended by a stop; the loop rests until that is on disk. */
  STOPPING("idle"),
  /** Final. Its thread was given up; what comes waits on disk for its successor. */
  GIVEN_UP("stuck"),
  /** Final: a later event needs a new agent. */
  GONE("idle");

  private final String words;

  Phase(String words) {
    this.words = words;
  }

  /** For people, while no turn runs. {@code asks}: a parked one waits for a person. */
  String words(boolean asks) {
    return this == PARKED && asks ? "waiting for approval" : words;
  }
}
