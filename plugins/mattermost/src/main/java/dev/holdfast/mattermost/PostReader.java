package dev.holdfast.mattermost;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.JsonText;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads what people do in Mattermost, whichever way it came: over the socket, out of the history or
 * by a webhook. What makes no sense is ignored. Thread-safe.
 */
final class PostReader {
  private static final Set<String> STOPS = Set.of("x", "octagonal_sign");
  private static final int TRIGGER_MAX = 1000;

  /** Of the name of a conversation between two people, which their ids are. */
  private static final String BETWEEN = "__";

  private final String account;

  PostReader(String account) {
    this.account = account;
  }

  /**
   * Reads a post.
   *
   * @param senderName as Mattermost shows it; may be empty
   * @param isAddressed whether something else than its text says that it is meant for the bot
   */
  MattermostEvent post(
      Map<String, Object> post,
      ChannelKind kind,
      String senderName,
      boolean isAddressed,
      MattermostIdentity me) {
    String id = JsonText.text(post, "id");
    String channel = JsonText.text(post, "channel_id");
    String user = JsonText.text(post, "user_id");
    boolean hasIds =
        MattermostPlace.isId(id) && MattermostPlace.isId(channel) && MattermostPlace.isId(user);
    // Posts of people have no type; system_..., custom_... and whatever comes later is no talk.
    boolean isTalk = JsonText.text(post, "type").isEmpty();
    if (!hasIds || !isTalk || !kind.isKnown() || JsonText.whole(post, "delete_at", 0) > 0) {
      return new MattermostEvent.Ignored();
    }
    if (user.equals(me.user())) {
      return new MattermostEvent.Dropped(DropReason.OWN_ECHO);
    }
    String said = JsonText.text(post, "message");
    String text = without(said, me.name());
    List<Attachment> files = MattermostFiles.of(post);
    if (text.isBlank() && files.isEmpty()) {
      return new MattermostEvent.Dropped(DropReason.EMPTY);
    }
    Map<String, Object> props = JsonText.map(post, "props");
    // Whoever has the address of an incoming webhook posts as the person who made it.
    boolean isWebhook = isSet(props, "from_webhook");
    boolean isBot = isWebhook || isSet(props, "from_bot") || isSet(props, "from_plugin");
    String root = JsonText.text(post, "root_id");
    boolean isInThread = MattermostPlace.isId(root) && !root.equals(id);
    MattermostPlace place =
        new MattermostPlace(channel, isInThread ? root : kind.isDirect() ? "" : id);
    boolean isMeant = isAddressed || mentions(said, me.name());
    return new MattermostEvent.Said(
        new InboundMessage(
            account,
            place.thread(),
            isWebhook ? "webhook:" + user : user,
            text,
            files,
            id,
            origin(kind, channel, isInThread, shown(senderName), isBot, isMeant)
                .at(JsonText.whole(post, "create_at", 0))));
  }

  private static Origin origin(
      ChannelKind kind,
      String channel,
      boolean isInThread,
      String name,
      boolean isBot,
      boolean isAddressed) {
    return kind.isDirect()
        ? new Origin(Origin.Place.DIRECT, "", kind.team(), name, isBot, true)
        : new Origin(
            isInThread ? Origin.Place.THREAD : Origin.Place.GROUP,
            channel,
            kind.team(),
            name,
            isBot,
            isAddressed);
  }

  private static boolean isSet(Map<String, Object> props, String key) {
    return JsonText.flag(props, key) || JsonText.text(props, key).equals("true");
  }

  private static String shown(String name) {
    return name.startsWith("@") ? name.substring(1) : name;
  }

  /**
   * Whether an event says that the bot is mentioned although the text does not name it: by a group
   * that it is in, for example. {@code @all} is for everybody, and so not for the bot.
   *
   * @param data of the event
   */
  static boolean isMentioned(Map<String, Object> data, String text, MattermostIdentity me) {
    return JsonText.text(data, "mentions").contains("\"" + me.user() + "\"")
        && !PostBody.callsEverybody(text);
  }

  /** Whether it names the account. */
  static boolean mentions(String text, String name) {
    return !name.isEmpty() && mention(name).matcher(text).find();
  }

  /** Without the name of the account: what is left is what the account is told. */
  static String without(String text, String name) {
    if (!mentions(text, name)) {
      return text.strip();
    }
    String left = mention(name).matcher(text).replaceAll("").strip();
    boolean wasFirst = mention(name).matcher(text.stripLeading()).lookingAt();
    return wasFirst && (left.startsWith(",") || left.startsWith(":"))
        ? left.substring(1).strip()
        : left;
  }

  /** Names may have dots, hyphens and underscores in them, and a sentence may end with a dot. */
  private static Pattern mention(String name) {
    return Pattern.compile(
        "(?i)(?<![A-Za-z0-9_@./-])@"
            + Pattern.quote(name)
            + "(?![a-z0-9_-])(?!\\.[a-z0-9])[ \\t]?");
  }

  /** Whether it asks to stop what is being done. */
  static boolean isStop(Map<String, Object> reaction) {
    return STOPS.contains(JsonText.text(reaction, "emoji_name"));
  }

  /** Reads a reaction that {@link #isStop stops}, on a post of the bot at that place. */
  MattermostEvent stop(
      Map<String, Object> reaction,
      MattermostPlace place,
      ChannelKind kind,
      MattermostIdentity me) {
    String user = JsonText.text(reaction, "user_id");
    String post = JsonText.text(reaction, "post_id");
    if (!MattermostPlace.isId(user) || user.equals(me.user()) || !kind.isKnown()) {
      return new MattermostEvent.Ignored();
    }
    String key =
        "reaction:%s:%s:%d".formatted(post, user, JsonText.whole(reaction, "create_at", 0));
    return new MattermostEvent.Said(
        new InboundMessage(
            account,
            place.thread(),
            user,
            "/stop",
            List.of(),
            key,
            origin(kind, place.channel(), !place.root().isEmpty(), "", false, true)));
  }

  /**
   * Reads a slash command, whose text is a message of the person in that channel. Mattermost does
   * not say in which thread it was written.
   *
   * @param command its fields
   */
  MattermostEvent command(Map<String, Object> command, MattermostIdentity me) {
    String channel = JsonText.text(command, "channel_id");
    String user = JsonText.text(command, "user_id");
    String trigger = JsonText.text(command, "trigger_id");
    boolean hasIds = MattermostPlace.isId(channel) && MattermostPlace.isId(user);
    if (!hasIds || trigger.isEmpty() || trigger.length() > TRIGGER_MAX) {
      return new MattermostEvent.Ignored();
    }
    String between = JsonText.text(command, "channel_name");
    boolean isWithBot =
        between.equals(me.user() + BETWEEN + user) || between.equals(user + BETWEEN + me.user());
    ChannelKind kind =
        isWithBot ? ChannelKind.DIRECT : ChannelKind.ofTeam(JsonText.text(command, "team_id"));
    String text = without(JsonText.text(command, "text"), me.name());
    String name = shown(JsonText.text(command, "user_name"));
    return new MattermostEvent.Said(
        new InboundMessage(
            account,
            new MattermostPlace(channel, "").thread(),
            user,
            text.isEmpty() ? "/help" : text,
            List.of(),
            "command:" + trigger,
            origin(kind, channel, false, name, false, true)));
  }
}
