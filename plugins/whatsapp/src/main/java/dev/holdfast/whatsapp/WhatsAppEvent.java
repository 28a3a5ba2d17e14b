package dev.holdfast.whatsapp;

import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.InboundMessage;

/** What one item of a delivery means. */
sealed interface WhatsAppEvent {
  record Said(InboundMessage message) implements WhatsAppEvent {}

  /** A person used a button; its reference is the id of the message by which it came. */
  record Pressed(Click click) implements WhatsAppEvent {}

  record Dropped(DropReason reason) implements WhatsAppEvent {}

  /**
   * Something became of a post of an account.
   *
   * @param account its name
   * @param reply the id of the reply that was posted; empty when the post was none
   * @param id WhatsApp's id of the post
   */
  record Posted(String account, String reply, String id) implements WhatsAppEvent {}

  /** A post that WhatsApp had taken did not reach the person after all. */
  record Undelivered(Posted post, Failure failure) implements WhatsAppEvent {}

  /**
   * A message that cannot be taken, which the operator should hear of.
   *
   * @param why for the log; one of a few
   */
  record Unfit(DropReason reason, String why) implements WhatsAppEvent {}

  record Ignored() implements WhatsAppEvent {}
}
