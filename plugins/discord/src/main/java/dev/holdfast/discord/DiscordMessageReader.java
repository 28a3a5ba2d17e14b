package dev.holdfast.discord;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads messages and reactions of one account. What makes no sense is ignored. Blocks the calling
 * thread when it meets a channel for the first time. Thread-safe.
 */
final class DiscordMessageReader {
  static final Pattern ID = Pattern.compile("[0-9]{1,20}");

  /** Ordinary ones and answers; others are notices of Discord. */
  private static final Set<Long> TYPES = Set.of(0L, 19L);

  /** An id is a time in milliseconds since 2015, and {@value #TIME_SHIFT} bits of other things. */
  private static final int TIME_SHIFT = 22;

  private static final long EPOCH_MILLIS = 1_420_070_400_000L;

  private static final Set<String> STOPS = Set.of("\u274C", "\uD83D\uDED1");

  private final DiscordAccount account;
  private final KnownChannels channels;

  /** Posts of the bot in this run. */
  private final RecentMap<Boolean> own = new RecentMap<>();

  DiscordMessageReader(DiscordAccount account, KnownChannels channels) {
    this.account = account;
    this.channels = channels;
  }

  static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  /** The bot has posted it. */
  void posted(String id) {
    own.put(id, true);
  }

  /**
   * Reads a message, of the Gateway or of the history, which does not name its server.
   *
   * @throws CallFailedException when what it has to know of the channel cannot be asked now
   */
  DiscordEvent message(Map<String, Object> message, DiscordIdentity me)
      throws CallFailedException, InterruptedException {
    String channel = JsonText.id(message, "channel_id");
    String id = JsonText.id(message, "id");
    Map<String, Object> author = JsonText.map(message, "author");
    String sender = JsonText.id(author, "id");
    if (!isId(channel) || !isId(id) || !isId(sender)) {
      return new DiscordEvent.Ignored();
    }
    // What it has answered to interactions is of a webhook that has the application's id.
    if (sender.equals(me.user()) || sender.equals(me.app())) {
      posted(id);
      return new DiscordEvent.Posted(JsonText.id(message, "nonce"), id);
    }
    if (!TYPES.contains(JsonText.whole(message, "type", -1))) {
      return new DiscordEvent.Ignored();
    }
    String content = JsonText.text(message, "content");
    List<Attachment> files = DiscordFiles.of(message);
    if (content.isBlank() && files.isEmpty()) {
      return new DiscordEvent.Dropped(
          account.readsAll() || !message.containsKey("guild_id")
              ? DropReason.EMPTY
              : DropReason.NOT_ADDRESSED); // Discord shows only what mentions the bot
    }
    String guild = JsonText.id(message, "guild_id");
    Optional<KnownChannels.ChannelFacts> facts = Optional.empty();
    if (!guild.isEmpty()) {
      facts = channels.find(channel);
    }
    String role = mentionedRole(message, guild, me);
    Map<String, String> names = names(message);
    String text = DiscordText.plain(DiscordText.without(content, me.user(), role), names);
    boolean isBot = JsonText.flag(author, "bot") || message.containsKey("webhook_id");
    return new DiscordEvent.Said(
        new InboundMessage(
            account.name(),
            channel,
            sender,
            text,
            files,
            channel + ":" + id,
            origin(
                    channel,
                    guild,
                    facts,
                    name(JsonText.map(message, "member"), author),
                    isBot,
                    isAddressed(message, role, me))
                .at(madeAtMillis(id))),
        id);
  }

  /** An id of Discord holds when it was made. */
  private static long madeAtMillis(String id) {
    return new BigInteger(id).shiftRight(TIME_SHIFT).longValue() + EPOCH_MILLIS;
  }

  /** Where something was written; whatever is said to the bot alone is meant for it. */
  static Origin origin(
      String channel,
      String guild,
      Optional<KnownChannels.ChannelFacts> facts,
      String name,
      boolean isBot,
      boolean isAddressed) {
    if (guild.isEmpty()) {
      return new Origin(Origin.Place.DIRECT, "", "", name, isBot, true);
    }
    String parent = facts.map(KnownChannels.ChannelFacts::parent).orElse("");
    return new Origin(
        parent.isEmpty() ? Origin.Place.GROUP : Origin.Place.THREAD,
        parent.isEmpty() ? channel : parent,
        guild,
        name,
        isBot,
        isAddressed);
  }

  /** What the server calls a person, or Discord. */
  static String name(Map<String, Object> member, Map<String, Object> user) {
    String nick = JsonText.text(member, "nick");
    String global = JsonText.text(user, "global_name");
    return !nick.isBlank() ? nick : !global.isBlank() ? global : JsonText.text(user, "username");
  }

  private static Map<String, String> names(Map<String, Object> message) {
    Map<String, String> names = new LinkedHashMap<>();
    for (Map<String, Object> user : JsonText.maps(message, "mentions")) {
      names.put(JsonText.id(user, "id"), name(JsonText.map(user, "member"), user));
    }
    return names;
  }

  /** The bot's own role, when it is mentioned; else empty. */
  private String mentionedRole(Map<String, Object> message, String guild, DiscordIdentity me)
      throws CallFailedException, InterruptedException {
    if (guild.isEmpty() || !(message.get("mention_roles") instanceof List<?> mentioned)) {
      return "";
    }
    if (mentioned.isEmpty()) {
      return "";
    }
    String role = channels.ownRole(guild, me.user());
    return mentioned.contains(role) ? role : "";
  }

  private static boolean isAddressed(Map<String, Object> message, String role, DiscordIdentity me) {
    Map<String, Object> answered =
        JsonText.map(JsonText.map(message, "referenced_message"), "author");
    return !role.isEmpty()
        || JsonText.id(answered, "id").equals(me.user())
        || JsonText.maps(message, "mentions").stream()
            .anyMatch(user -> JsonText.id(user, "id").equals(me.user()));
  }

  /**
   * A cross on a post of the bot stops what is being done in its conversation.
   *
   * @param delivery the same whenever it is delivered again
   */
  DiscordEvent reaction(Map<String, Object> reaction, String delivery, DiscordIdentity me)
      throws CallFailedException, InterruptedException {
    String channel = JsonText.id(reaction, "channel_id");
    String id = JsonText.id(reaction, "message_id");
    String sender = JsonText.id(reaction, "user_id");
    String name = JsonText.text(JsonText.map(reaction, "emoji"), "name").replace("\uFE0F", "");
    if (!STOPS.contains(name) || !isId(channel) || !isId(id) || !isId(sender)) {
      return new DiscordEvent.Ignored();
    }
    boolean isOnOwn = JsonText.id(reaction, "message_author_id").equals(me.user()) || own.has(id);
    if (!isOnOwn || sender.equals(me.user())) {
      return new DiscordEvent.Ignored();
    }
    String guild = JsonText.id(reaction, "guild_id");
    Optional<KnownChannels.ChannelFacts> facts = Optional.empty();
    if (!guild.isEmpty()) {
      facts = channels.find(channel);
    }
    Map<String, Object> member = JsonText.map(reaction, "member");
    Map<String, Object> user = JsonText.map(member, "user");
    return new DiscordEvent.Said(
        new InboundMessage(
            account.name(),
            channel,
            sender,
            "/stop",
            List.of(),
            "reaction:" + delivery + ":" + id,
            origin(channel, guild, facts, name(member, user), JsonText.flag(user, "bot"), true)),
        "");
  }
}
