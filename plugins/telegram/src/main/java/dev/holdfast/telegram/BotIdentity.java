package dev.holdfast.telegram;

import dev.holdfast.kit.JsonText;
import java.util.Map;

/**
 * Who a bot is.
 *
 * @param userName without the @
 * @param readsGroups whether Telegram gives it all that is said in its groups
 */
record BotIdentity(String id, String userName, boolean readsGroups) {
  static BotIdentity of(Map<String, Object> me) {
    return new BotIdentity(
        JsonText.id(me, "id"),
        JsonText.text(me, "username"),
        JsonText.flag(me, "can_read_all_group_messages"));
  }
}
