package dev.holdfast.telegram;

import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;

/**
 * Groups that became supergroups, and so got another id: their conversations go on under the old
 * one. Thread-safe.
 */
final class GroupMigrations {
  static final int GROUPS_MAX = 10_000;
  private static final String TO = "to";

  private final StateFile file;
  private final Logger logger;
  private final Map<String, String> oldIds = new HashMap<>();

  GroupMigrations(StateFile file, Logger logger) {
    this.file = file;
    this.logger = logger;
    file.all().forEach((from, entry) -> oldIds.put(JsonText.text(entry, TO), from));
  }

  /** Keeps that a group has another id now; a second time does nothing. */
  synchronized void moved(String from, String to) {
    if (from.isEmpty() || to.isEmpty() || from.equals(to) || current(from).equals(to)) {
      return;
    }
    oldIds.put(to, from);
    try {
      file.put(from, Map.of(TO, to));
    } catch (IOException e) {
      logger.log(
          Level.WARNING,
          "the group {0} is now {1}, which could not be written down: {2}",
          from,
          to,
          e.toString());
    }
  }

  /** What Telegram calls a chat now. */
  synchronized String current(String chat) {
    return file.find(chat).map(entry -> JsonText.text(entry, TO)).orElse(chat);
  }

  /** What a chat was called when its conversation began. */
  synchronized String original(String chat) {
    return oldIds.getOrDefault(chat, chat);
  }

  /** The id of the conversation at an address. */
  String thread(ChatAddress at) {
    return at.withChat(original(at.chat())).thread();
  }

  /** Where a conversation is now. */
  ChatAddress address(String thread) {
    ChatAddress at = ChatAddress.ofThread(thread);
    return at.withChat(current(at.chat()));
  }
}
