package dev.holdfast.matrix;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;

/** What an event of a room means to an account. */
sealed interface MatrixEvent {
  /** Somebody said something. */
  record Said(InboundMessage message) implements MatrixEvent {}

  /** Somebody said something that does not become an event. */
  record Dropped(DropReason reason) implements MatrixEvent {}

  /**
   * The account was invited.
   *
   * @param isDirect whether the inviter says that it is to be a conversation of the two
   */
  record Invited(String room, String inviter, boolean isDirect) implements MatrixEvent {}

  /** The account is no member of a room any more: it was put out, or has left. */
  record Left(String room, String membership) implements MatrixEvent {}

  /** Somebody wrote what only the members' devices can read. */
  record Encrypted(String room) implements MatrixEvent {}

  /** Nothing that matters. */
  record Ignored() implements MatrixEvent {}
}
