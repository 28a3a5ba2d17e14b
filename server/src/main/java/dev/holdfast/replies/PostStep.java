package dev.holdfast.replies;

import java.time.Duration;

/** How a thread's turn at posting goes on. */
sealed interface PostStep {
  /** The next reply, at once. */
  record Next() implements PostStep {}

  /** Nothing is left to post. */
  record Done() implements PostStep {}

  /** This thread waits; the others of its account go on. */
  record Wait(Duration delay) implements PostStep {}

  /** The whole account waits: its platform cannot be reached now. */
  record Pause(Duration delay) implements PostStep {}
}
