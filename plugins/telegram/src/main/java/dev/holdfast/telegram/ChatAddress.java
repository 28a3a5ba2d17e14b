package dev.holdfast.telegram;

import dev.holdfast.kit.JsonText;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where something is said: a chat, and in a group with topics the topic. As the id of a
 * conversation it is {@code CHAT} or {@code CHAT/TOPIC}.
 *
 * @param chat Telegram's id, below zero for groups
 * @param topic Telegram's {@code message_thread_id}; empty outside of topics
 */
record ChatAddress(String chat, String topic) {
  /** Of a message: what only replies to another one is no topic. */
  static ChatAddress of(Map<String, Object> message) {
    String chat = JsonText.id(JsonText.map(message, "chat"), "id");
    boolean hasTopic = JsonText.flag(message, "is_topic_message");
    return new ChatAddress(chat, hasTopic ? JsonText.id(message, "message_thread_id") : "");
  }

  static ChatAddress ofThread(String thread) {
    int slash = thread.indexOf('/');
    return slash < 0
        ? new ChatAddress(thread, "")
        : new ChatAddress(thread.substring(0, slash), thread.substring(slash + 1));
  }

  String thread() {
    return topic.isEmpty() ? chat : chat + "/" + topic;
  }

  boolean isGroup() {
    return chat.startsWith("-");
  }

  ChatAddress withChat(String other) {
    return new ChatAddress(other, topic);
  }

  /** What each call about it begins with; to be added to. */
  Map<String, Object> parameters() {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("chat_id", number(chat));
    if (!topic.isEmpty()) {
      parameters.put("message_thread_id", number(topic));
    }
    return parameters;
  }

  /** As Telegram wants ids. */
  static Object number(String digits) {
    try {
      return Long.valueOf(digits);
    } catch (NumberFormatException _) {
      return digits; // Telegram says what is wrong with it
    }
  }
}
