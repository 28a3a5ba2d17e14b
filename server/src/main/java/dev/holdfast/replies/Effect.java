package dev.holdfast.replies;

import java.time.Duration;

/** What a post made of a reply. */
sealed interface Effect {
  record Sent(String platformId) implements Effect {}

  /** {@code counts}: whether the platform answered, so that the try counts against the reply. */
  record Retry(Duration delay, String why, boolean counts) implements Effect {}

  record Unknown(String why) implements Effect {}

  record Rejected(String why) implements Effect {}

  record Held(String why) implements Effect {}
}
