package dev.holdfast.replies;

import java.time.Duration;
import java.util.Optional;

/** What a post made of a reply. */
sealed interface ReplyChange {
  record Sent(String platformId) implements ReplyChange {}

  /**
   * @param counts whether the platform answered, so that the try counts against the reply
   * @param paced how much of the delay the platform asked for
   */
  record Retry(Duration delay, String why, boolean counts, Duration paced) implements ReplyChange {}

  /** {@code repeat}: the wait before it is posted again; empty when it is not. */
  record Unknown(String why, Optional<Duration> repeat) implements ReplyChange {}

  record Rejected(String why) implements ReplyChange {}
}
