package dev.holdfast.replies;

import java.time.Duration;

/** What is done with a reply before it is posted. */
sealed interface ReplyMove {
  record Post(boolean resend) implements ReplyMove {}

  record Wait(Duration delay) implements ReplyMove {}

  /** The server died while it was sending: whether it arrived is unknown. */
  record Lost() implements ReplyMove {}

  /** Its answer was lost: the platform's history is to tell whether it arrived. */
  record Find() implements ReplyMove {}

  record Hold(String why) implements ReplyMove {}
}
