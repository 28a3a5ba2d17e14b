package dev.holdfast.ingress.api;

import java.util.Optional;

/** Finds what an event ended with. */
@FunctionalInterface
interface Answers {
  /** Blocks. Empty while the event has not ended. */
  Optional<Answer> find(String eventId);

  /**
   * How an event ended.
   *
   * @param state in lower case
   * @param reason why it has no answer; empty when nothing went wrong
   * @param text what its sender is told; empty when nothing was said
   */
  record Answer(String state, String reason, String text) {}
}
