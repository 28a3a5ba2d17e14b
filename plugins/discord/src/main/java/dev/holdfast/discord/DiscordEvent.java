package dev.holdfast.discord;

import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;

/** What an event or an interaction of Discord means to this server. */
sealed interface DiscordEvent {
  /** {@code id}: of the message; empty when it is none that the history has. */
  record Said(InboundMessage message, String id) implements DiscordEvent {}

  /** A slash command, which is a message and waits for its answer. */
  record Commanded(InboundMessage message, Deferred deferred) implements DiscordEvent {}

  record Clicked(Click click, Deferred deferred) implements DiscordEvent {}

  /** A use of the application that it does not offer: {@code text} is told to the person. */
  record Misused(String text, Deferred deferred) implements DiscordEvent {}

  record Dropped(DropReason reason) implements DiscordEvent {}

  /** A post of the bot itself, as Discord tells it to everybody. */
  record Posted(String nonce, String id) implements DiscordEvent {}

  /** Nothing that matters. */
  record Ignored() implements DiscordEvent {}
}
