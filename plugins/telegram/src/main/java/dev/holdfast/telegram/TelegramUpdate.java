package dev.holdfast.telegram;

import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;

/** What an update of Telegram means to this server. */
sealed interface TelegramUpdate {
  record Said(InboundMessage message) implements TelegramUpdate {}

  record Clicked(Click click) implements TelegramUpdate {}

  record Dropped(DropReason reason) implements TelegramUpdate {}

  /** A group became a supergroup. */
  record Migrated(String from, String to) implements TelegramUpdate {}

  /** Somebody changed what the bot is in a chat: {@code member}, {@code kicked}, ... */
  record Membership(String chat, String status) implements TelegramUpdate {}

  /** Nothing that matters. */
  record Ignored() implements TelegramUpdate {}
}
