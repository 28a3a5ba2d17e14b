package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is asked about channels and servers once in a run. Blocks the calling thread when it has to
 * ask. Thread-safe.
 */
final class KnownChannels {
  private static final Duration ASK_MAX = Duration.ofSeconds(5);

  private final DiscordApi api;
  private final RecentMap<ChannelFacts> channels = new RecentMap<>();

  /** By server; empty when the bot has none there. */
  private final RecentMap<String> roles = new RecentMap<>();

  /**
   * A channel.
   *
   * @param parent of a thread, the channel that it is in; empty for any other
   * @param guild Discord's word for a server; empty in a conversation with one person
   */
  record ChannelFacts(String parent, String guild) {
    private static final int THREAD_FIRST = 10;
    private static final int THREAD_LAST = 12;

    static ChannelFacts of(Map<String, Object> channel) {
      long type = JsonText.whole(channel, "type", 0);
      boolean isThread = type >= THREAD_FIRST && type <= THREAD_LAST;
      return new ChannelFacts(
          isThread ? JsonText.id(channel, "parent_id") : "", JsonText.id(channel, "guild_id"));
    }
  }

  KnownChannels(DiscordApi api) {
    this.api = api;
  }

  /** Whether it is known to be no conversation with one person. */
  boolean isInServer(String id) {
    return channels.find(id).filter(facts -> !facts.guild().isEmpty()).isPresent();
  }

  /** An interaction tells about its channel. */
  void learn(String id, ChannelFacts facts) {
    channels.put(id, facts);
  }

  /**
   * Asks about a channel that is not known.
   *
   * @return empty when Discord does not show it to the bot
   * @throws CallFailedException when another try may tell; AUTH when the token is refused
   */
  Optional<ChannelFacts> find(String id) throws CallFailedException, InterruptedException {
    Optional<ChannelFacts> known = channels.find(id);
    if (known.isPresent()) {
      return known;
    }
    DiscordAnswer answer = api.get("/channels/" + id, ASK_MAX);
    if (answer.status() == 403 || answer.status() == 404) {
      return Optional.empty();
    }
    ChannelFacts facts = ChannelFacts.of(answer.orThrow());
    channels.put(id, facts);
    return Optional.of(facts);
  }

  /**
   * The role that a server has for the bot alone, which people mention in place of it; empty when
   * there is none.
   *
   * @throws CallFailedException as above
   */
  String ownRole(String guild, String user) throws CallFailedException, InterruptedException {
    Optional<String> known = roles.find(guild);
    if (known.isPresent()) {
      return known.get();
    }
    DiscordAnswer answer = api.get("/guilds/" + guild + "/roles", ASK_MAX);
    boolean isRefused = answer.status() == 403 || answer.status() == 404;
    List<Map<String, Object>> all = isRefused ? List.of() : answer.listOrThrow();
    String own =
        all.stream()
            .filter(role -> JsonText.id(JsonText.map(role, "tags"), "bot_id").equals(user))
            .map(role -> JsonText.id(role, "id"))
            .findFirst()
            .orElse("");
    roles.put(guild, own);
    return own;
  }
}
