package dev.holdfast.nats;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;

/** What a message of a stream is. */
sealed interface MessageReading {
  /**
   * Something to answer.
   *
   * @param replySubject as the message names it; empty when it names none
   */
  record Question(InboundMessage message, String replySubject) implements MessageReading {}

  /**
   * Nothing that could ever be answered.
   *
   * @param why for the log; shows nothing of the message
   */
  record Unreadable(DropReason reason, String why) implements MessageReading {}
}
