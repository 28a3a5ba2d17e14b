package dev.holdfast.replies;

import java.time.Duration;

/** What a post made of a reply. */
sealed interface ReplyChange {
  record Sent(String platformId) implements ReplyChange {}

  /** {@code counts}: whether the platform answered, so that the try counts against the reply. */
  record Retry(Duration delay, String why, boolean counts) implements ReplyChange {}

  record Unknown(String why) implements ReplyChange {}

  record Rejected(String why) implements ReplyChange {}

  record Held(String why) implements ReplyChange {}
}
