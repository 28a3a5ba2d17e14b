package dev.holdfast.replies;

import java.time.Duration;

/** How a thread's turn at posting goes on. */
sealed interface Step {
  /** The next reply, at once. */
  record Next() implements Step {}

  /** Nothing is left to post. */
  record Done() implements Step {}

  /** This thread waits; the others of its account go on. */
  record Wait(Duration delay) implements Step {}

  /** The whole account waits: its platform cannot be reached now. */
  record Pause(Duration delay) implements Step {}
}
