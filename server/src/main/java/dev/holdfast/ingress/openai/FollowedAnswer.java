package dev.holdfast.ingress.openai;

import dev.holdfast.api.FailureCode;

/** What came of waiting for the answer to a message of a chat thread. */
sealed interface FollowedAnswer {
  /** The whole answer. */
  record Answered(CompletedAnswer answer) implements FollowedAnswer {}

  /** {@code text}: what its sender was told. */
  record Failed(FailureCode code, String text) implements FollowedAnswer {}

  /** The turn waits for a person's decision; {@code text}: what is asked, and how to answer. */
  record Asks(String text) implements FollowedAnswer {}

  /** It is accepted, and its answer will come later; {@code reason} for people. */
  record Later(String reason) implements FollowedAnswer {}
}
