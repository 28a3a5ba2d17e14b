package dev.holdfast.telegram;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.JsonText;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the updates of one bot. Thread-safe. */
final class UpdateReader {
  /** What Telegram is asked for: all that this class understands. */
  static final List<String> KINDS = List.of("message", "callback_query", "my_chat_member");

  private static final Set<String> GROUPS = Set.of("group", "supergroup");

  private final TelegramAccount account;
  private final GroupMigrations migrations;

  UpdateReader(TelegramAccount account, GroupMigrations migrations) {
    this.account = account;
    this.migrations = migrations;
  }

  /** {@code me}: who may be mentioned. What makes no sense is ignored. */
  TelegramUpdate read(Map<String, Object> update, BotIdentity me) {
    if (update.containsKey("callback_query")) {
      return click(JsonText.map(update, "callback_query"));
    }
    if (update.containsKey("my_chat_member")) {
      Map<String, Object> change = JsonText.map(update, "my_chat_member");
      return new TelegramUpdate.Membership(
          JsonText.id(JsonText.map(change, "chat"), "id"),
          JsonText.text(JsonText.map(change, "new_chat_member"), "status"));
    }
    // Edits, posts of channels and whatever comes with newer versions are other keys.
    return message(JsonText.map(update, "message"), me);
  }

  private TelegramUpdate click(Map<String, Object> query) {
    Map<String, Object> message = JsonText.map(query, "message");
    String sender = JsonText.id(JsonText.map(query, "from"), "id");
    String token = JsonText.text(query, "data");
    ChatAddress at = ChatAddress.of(message);
    if (at.chat().isEmpty() || sender.isEmpty() || token.isEmpty()) {
      return new TelegramUpdate.Ignored();
    }
    return new TelegramUpdate.Clicked(
        new Click(
            account.name(), migrations.thread(at), sender, token, JsonText.text(query, "id")));
  }

  private TelegramUpdate message(Map<String, Object> message, BotIdentity me) {
    ChatAddress at = ChatAddress.of(message);
    String type = JsonText.text(JsonText.map(message, "chat"), "type");
    String number = JsonText.id(message, "message_id");
    boolean isGroup = GROUPS.contains(type);
    if (at.chat().isEmpty() || number.isEmpty() || (!isGroup && !type.equals("private"))) {
      return new TelegramUpdate.Ignored();
    }
    String to = JsonText.id(message, "migrate_to_chat_id");
    String from = JsonText.id(message, "migrate_from_chat_id");
    if (!to.isEmpty() || !from.isEmpty()) {
      return to.isEmpty()
          ? new TelegramUpdate.Migrated(from, at.chat())
          : new TelegramUpdate.Migrated(at.chat(), to);
    }
    Map<String, Object> sender = JsonText.map(message, "from");
    String senderId = JsonText.id(sender, "id");
    if (senderId.equals(account.botId())) {
      return new TelegramUpdate.Dropped(DropReason.OWN_ECHO);
    }
    if (!isPerson(message, sender)) {
      return new TelegramUpdate.Dropped(DropReason.NOT_ALLOWED);
    }
    AddressedText said = AddressedText.of(message, me, isGroup);
    if (said.isForOther()) {
      return new TelegramUpdate.Dropped(DropReason.NOT_ADDRESSED);
    }
    List<Attachment> files = TelegramFiles.of(message);
    if (said.text().isBlank() && files.isEmpty()) {
      return new TelegramUpdate.Dropped(DropReason.EMPTY);
    }
    return new TelegramUpdate.Said(
        new InboundMessage(
            account.name(),
            migrations.thread(at),
            senderId,
            said.text(),
            files,
            at.chat() + ":" + number,
            (isGroup ? group(at, sender, said.isAddressed()) : Origin.direct(name(sender)))
                .at(1000 * JsonText.whole(message, "date", 0))));
  }

  /**
   * Bots, channels and administrators who write as their group are nobody who could be allowed, and
   * what somebody sent through another bot is that bot's text.
   */
  private static boolean isPerson(Map<String, Object> message, Map<String, Object> sender) {
    return !JsonText.id(sender, "id").isEmpty()
        && !JsonText.flag(sender, "is_bot")
        && !message.containsKey("sender_chat")
        && !message.containsKey("via_bot");
  }

  /** A topic is as wide as a group: what is said there is not meant for the bot by itself. */
  private Origin group(ChatAddress at, Map<String, Object> sender, boolean isAddressed) {
    boolean namesNew = account.access().chats().contains(at.chat());
    String chat = namesNew ? at.chat() : migrations.original(at.chat());
    return new Origin(Origin.Place.GROUP, chat, "", name(sender), false, isAddressed);
  }

  private static String name(Map<String, Object> sender) {
    return (JsonText.text(sender, "first_name") + " " + JsonText.text(sender, "last_name")).strip();
  }
}
