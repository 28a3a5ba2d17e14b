package dev.holdfast.replies;

import java.time.Duration;

/** What is done with a reply before it is posted. */
sealed interface Move {
  record Post(boolean resend) implements Move {}

  record Wait(Duration delay) implements Move {}

  /** The server died while it was sending: whether it arrived is unknown. */
  record Lost() implements Move {}

  record Hold(String why) implements Move {}
}
