package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the bot may do in a channel, from its roles and the channel's exceptions, in Discord's
 * order. Blocks the calling thread.
 */
final class ChannelRights {
  private static final Duration ASK_MAX = Duration.ofSeconds(3);
  private static final long ADMINISTRATOR = 1L << 3;
  private static final Map<String, Long> NEEDED = new LinkedHashMap<>();

  static {
    NEEDED.put("View Channel", 1L << 10);
    NEEDED.put("Send Messages", 1L << 11);
    NEEDED.put("Send Messages in Threads", 1L << 38);
    NEEDED.put("Attach Files", 1L << 15);
    NEEDED.put("Read Message History", 1L << 16);
  }

  private ChannelRights() {}

  /** Names of the permissions that it lacks there; none in a conversation with one person. */
  static List<String> missing(DiscordBot bot, DiscordIdentity me, String channel)
      throws CallFailedException, InterruptedException {
    Map<String, Object> facts = bot.api().get("/channels/" + channel, ASK_MAX).orThrow();
    String guild = JsonText.id(facts, "guild_id");
    if (guild.isEmpty()) {
      return List.of();
    }
    Map<String, Object> member =
        bot.api().get("/guilds/" + guild + "/members/" + me.user(), ASK_MAX).orThrow();
    List<Map<String, Object>> roles =
        bot.api().get("/guilds/" + guild + "/roles", ASK_MAX).listOrThrow();
    List<?> own = member.get("roles") instanceof List<?> list ? list : List.of();
    long rights = 0;
    for (Map<String, Object> role : roles) {
      String id = JsonText.id(role, "id");
      if (id.equals(guild) || own.contains(id)) { // the server's own id is everybody's role
        rights |= bits(role, "permissions");
      }
    }
    if ((rights & ADMINISTRATOR) != 0) {
      return List.of();
    }
    List<Map<String, Object>> exceptions = JsonText.maps(facts, "permission_overwrites");
    rights = with(rights, exceptions, List.of(guild));
    rights = with(rights, exceptions, own);
    rights = with(rights, exceptions, List.of(me.user()));
    List<String> missing = new ArrayList<>();
    for (Map.Entry<String, Long> needed : NEEDED.entrySet()) {
      if ((rights & needed.getValue()) == 0) {
        missing.add(needed.getKey());
      }
    }
    return missing;
  }

  private static long with(long rights, List<Map<String, Object>> exceptions, List<?> whose) {
    long denied = 0;
    long allowed = 0;
    for (Map<String, Object> exception : exceptions) {
      if (whose.contains(JsonText.id(exception, "id"))) {
        denied |= bits(exception, "deny");
        allowed |= bits(exception, "allow");
      }
    }
    return (rights & ~denied) | allowed;
  }

  private static long bits(Map<String, Object> object, String key) {
    return Snowflake.number(JsonText.id(object, key));
  }
}
