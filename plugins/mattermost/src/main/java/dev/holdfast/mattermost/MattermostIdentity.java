package dev.holdfast.mattermost;

import dev.holdfast.kit.JsonText;
import java.util.List;
import java.util.Map;

/**
 * Who an account is on its server.
 *
 * @param name the name by which people mention it
 * @param isBot whether it is a bot account; else the token is a person's
 */
record MattermostIdentity(String user, String name, boolean isBot, List<String> roles) {
  private static final int ROLES_MAX = 50;

  /** Of a user as the API describes it. */
  static MattermostIdentity of(Map<String, Object> user) {
    return new MattermostIdentity(
        JsonText.text(user, "id"),
        JsonText.text(user, "username"),
        JsonText.flag(user, "is_bot"),
        List.of(JsonText.text(user, "roles").strip().split("\\s+", ROLES_MAX)));
  }
}
