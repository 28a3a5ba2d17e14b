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

  /** An earlier message of its thread waits for a person's decision. */
  record Behind(String question) implements FollowedAnswer {
    /** What its sender is told. */
    String text() {
      return "Your message waits: an earlier message of this conversation needs a decision first."
          + "\n\n"
          + question;
    }
  }

  /** It is accepted, and its answer will come later; {@code reason} for people. */
  record Later(String reason) implements FollowedAnswer {}
}
