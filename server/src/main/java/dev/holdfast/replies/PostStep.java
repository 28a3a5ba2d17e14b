package dev.holdfast.replies;

import java.time.Duration;

/** How a thread's turn at posting goes on. */
sealed interface PostStep {
  /**
   * It arrived; the next reply, at once.
   *
   * @param trying whether the account's next post is still a trial
   */
  record Arrived(boolean trying) implements PostStep {}

  /** The next reply, at once. */
  record Next() implements PostStep {}

  /** Nothing is left to post. */
  record Done() implements PostStep {}

  /** This thread waits; the others of its account go on. */
  record Wait(Duration delay) implements PostStep {}

  /** The whole account waits: it, or its channel, is not there. */
  record Absent(Duration delay) implements PostStep {}

  /**
   * The whole account waits: its platform cannot be reached now.
   *
   * @param trying whether what comes after it is a trial
   */
  record Pause(Duration delay, boolean trying) implements PostStep {}
}
