package dev.holdfast.slack;

import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;

/** What an event, a command or a click of Slack means to this server. */
sealed interface SlackEvent {
  record Said(InboundMessage message) implements SlackEvent {}

  record Clicked(Click click) implements SlackEvent {}

  record Dropped(DropReason reason) implements SlackEvent {}

  /** Slack holds back events of the workspace: there were more than 30,000 within an hour. */
  record HeldBack() implements SlackEvent {}

  /** Nothing that matters. */
  record Ignored() implements SlackEvent {}
}
