package dev.holdfast.slack;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.JsonText;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads what Slack sends to one account, whichever way it came. What makes no sense is ignored.
 * Thread-safe.
 */
final class SlackEventReader {
  /** The name of a button of this server begins so. */
  static final String CHOICE = "holdfast_choice";

  private static final Set<String> SUBTYPES = Set.of("", "file_share", "thread_broadcast");
  private static final Set<String> STOPS = Set.of("x", "octagonal_sign");
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_]{1,100}");
  private static final Pattern TS = Pattern.compile("[0-9]{1,20}\\.[0-9]{1,20}");

  private final SlackAccount account;
  private final RecentTalk talk;
  private final PersonNames names;

  SlackEventReader(SlackAccount account, RecentTalk talk, PersonNames names) {
    this.account = account;
    this.talk = talk;
    this.names = names;
  }

  /** Reads what came over a socket. */
  SlackEvent envelope(String type, Map<String, Object> payload, SlackIdentity me) {
    return switch (type) {
      case "events_api" ->
          JsonText.text(payload, "type").equals("app_rate_limited")
              ? new SlackEvent.HeldBack()
              : callback(payload, me);
      case "interactive" -> interaction(payload, me);
      case "slash_commands" -> command(payload, me);
      default -> new SlackEvent.Ignored();
    };
  }

  /** Reads an {@code event_callback}. */
  SlackEvent callback(Map<String, Object> payload, SlackIdentity me) {
    if (!isOurs(JsonText.text(payload, "team_id"), me)
        && !isOurs(JsonText.text(payload, "context_team_id"), me)) {
      return new SlackEvent.Dropped(DropReason.NOT_ALLOWED);
    }
    Map<String, Object> event = JsonText.map(payload, "event");
    return switch (JsonText.text(event, "type")) {
      case "message", "app_mention" -> message(event, JsonText.text(payload, "team_id"), me);
      case "reaction_added" -> reaction(event, JsonText.text(payload, "team_id"), me);
      default -> new SlackEvent.Ignored();
    };
  }

  /** Reads a message as the history of a channel has it: an edited one is there only as edited. */
  SlackEvent fromHistory(Map<String, Object> message, String channel, SlackIdentity me) {
    Map<String, Object> event = new LinkedHashMap<>(message);
    event.put("channel", channel);
    event.remove("edited");
    String team = JsonText.text(message, "team");
    return message(event, team.isEmpty() ? me.team() : team, me);
  }

  /**
   * When the message was written that has the key.
   *
   * @return its {@code ts}; empty for a key of something else
   */
  static Optional<String> writtenAt(String dedupeKey, String channel) {
    String ts =
        dedupeKey.startsWith(channel + ":") ? dedupeKey.substring(channel.length() + 1) : "";
    return isTs(ts) ? Optional.of(ts) : Optional.empty();
  }

  private boolean isOurs(String team, SlackIdentity me) {
    return !team.isEmpty() && (team.equals(me.team()) || account.access().teams().contains(team));
  }

  private SlackEvent message(Map<String, Object> event, String team, SlackIdentity me) {
    String channel = JsonText.text(event, "channel");
    String ts = JsonText.text(event, "ts");
    if (!isId(channel)
        || !isTs(ts)
        || !SUBTYPES.contains(JsonText.text(event, "subtype"))
        || event.containsKey("edited")) {
      return new SlackEvent.Ignored();
    }
    String bot = JsonText.text(event, "bot_id");
    String user = JsonText.text(event, "user");
    String sender = user.isEmpty() ? bot : user;
    if (sender.equals(me.user()) || (!bot.isEmpty() && bot.equals(me.bot()))) {
      return new SlackEvent.Dropped(DropReason.OWN_ECHO);
    }
    if (!isId(sender)) {
      return new SlackEvent.Ignored();
    }
    String raw = JsonText.text(event, "text");
    String text = SlackText.plain(SlackText.without(raw, me.user()), names::nameOrId);
    List<Attachment> files = SlackFiles.of(event);
    if (text.isBlank() && files.isEmpty()) {
      return new SlackEvent.Dropped(DropReason.EMPTY);
    }
    boolean isAddressed =
        JsonText.text(event, "type").equals("app_mention") || SlackText.mentions(raw, me.user());
    String above = JsonText.text(event, "thread_ts");
    String from =
        firstOf(JsonText.text(event, "user_team"), JsonText.text(event, "source_team"), team);
    // Its id alone tells: an app_mention does not name the kind of its conversation.
    boolean isDirect = new SlackPlace(channel, "").isDirect();
    boolean isInThread = isTs(above) && !above.equals(ts);
    SlackPlace place = new SlackPlace(channel, isInThread ? above : isDirect ? "" : ts);
    return said(
        place,
        new RecentTalk.Writer(sender, from),
        text,
        files,
        channel + ":" + ts,
        origin(place, isInThread, from, sender, !bot.isEmpty(), isAddressed)
            .at(new BigDecimal(ts).movePointRight(3).longValue()));
  }

  private Origin origin(
      SlackPlace place,
      boolean isInThread,
      String team,
      String sender,
      boolean isBot,
      boolean isAddressed) {
    String name = names.name(sender);
    if (place.isDirect()) {
      return new Origin(Origin.Place.DIRECT, "", team, name, isBot, true);
    }
    return new Origin(
        isInThread ? Origin.Place.THREAD : Origin.Place.GROUP,
        place.channel(),
        team,
        name,
        isBot,
        isAddressed);
  }

  private SlackEvent said(
      SlackPlace place,
      RecentTalk.Writer writer,
      String text,
      List<Attachment> files,
      String key,
      Origin origin) {
    talk.said(place.thread(), writer);
    return new SlackEvent.Said(
        new InboundMessage(
            account.name(), place.thread(), writer.user(), text, files, key, origin));
  }

  /** A cross on a post of the app stops what is being done in its conversation. */
  private SlackEvent reaction(Map<String, Object> event, String team, SlackIdentity me) {
    Map<String, Object> item = JsonText.map(event, "item");
    String channel = JsonText.text(item, "channel");
    String ts = JsonText.text(item, "ts");
    String user = JsonText.text(event, "user");
    boolean isStop =
        STOPS.contains(JsonText.text(event, "reaction"))
            && JsonText.text(event, "item_user").equals(me.user());
    if (!isStop || !isId(channel) || !isTs(ts) || !isId(user) || user.equals(me.user())) {
      return new SlackEvent.Ignored();
    }
    SlackPlace at = new SlackPlace(channel, "");
    String thread = talk.threadOf(channel, ts).orElse(at.isDirect() ? channel : "");
    if (thread.isEmpty()) {
      return new SlackEvent.Ignored();
    }
    SlackPlace place = SlackPlace.ofThread(thread);
    String key =
        "reaction:%s:%s:%s:%s".formatted(channel, ts, user, JsonText.text(event, "event_ts"));
    return new SlackEvent.Said(
        new InboundMessage(
            account.name(),
            thread,
            user,
            "/stop",
            List.of(),
            key,
            origin(place, !place.threadTs().isEmpty(), team, user, false, true)));
  }

  /**
   * Reads a slash command, whose text is a message of the person in that channel.
   *
   * @param command its fields, as a form or an envelope has them
   */
  SlackEvent command(Map<String, Object> command, SlackIdentity me) {
    String team = JsonText.text(command, "team_id");
    if (!isOurs(team, me)) {
      return new SlackEvent.Dropped(DropReason.NOT_ALLOWED);
    }
    String channel = JsonText.text(command, "channel_id");
    String user = JsonText.text(command, "user_id");
    String trigger = JsonText.text(command, "trigger_id");
    if (!isId(channel) || !isId(user) || trigger.isEmpty()) {
      return new SlackEvent.Ignored();
    }
    String text = SlackText.plain(JsonText.text(command, "text").strip(), names::nameOrId);
    SlackPlace place = new SlackPlace(channel, "");
    return said(
        place,
        new RecentTalk.Writer(user, team),
        text.isEmpty() ? "/help" : text,
        List.of(),
        "command:" + trigger,
        origin(place, false, team, user, false, true));
  }

  /** Reads what somebody did with a post: a click on a button of this server. */
  SlackEvent interaction(Map<String, Object> payload, SlackIdentity me) {
    if (!isOurs(JsonText.text(JsonText.map(payload, "team"), "id"), me)) {
      return new SlackEvent.Dropped(DropReason.NOT_ALLOWED);
    }
    List<Map<String, Object>> actions = JsonText.maps(payload, "actions");
    String user = JsonText.text(JsonText.map(payload, "user"), "id");
    Map<String, Object> at = JsonText.map(payload, "container");
    String channel =
        firstOf(
            JsonText.text(at, "channel_id"),
            JsonText.text(JsonText.map(payload, "channel"), "id"),
            "");
    if (!JsonText.text(payload, "type").equals("block_actions")
        || actions.isEmpty()
        || !JsonText.text(actions.getFirst(), "action_id").startsWith(CHOICE)
        || !isId(user)
        || !isId(channel)) {
      return new SlackEvent.Ignored();
    }
    String above =
        firstOf(
            JsonText.text(at, "thread_ts"),
            JsonText.text(JsonText.map(payload, "message"), "thread_ts"),
            "");
    return new SlackEvent.Clicked(
        new Click(
            account.name(),
            new SlackPlace(channel, isTs(above) ? above : "").thread(),
            user,
            JsonText.text(actions.getFirst(), "value"),
            ""));
  }

  private static String firstOf(String one, String other, String last) {
    return !one.isEmpty() ? one : !other.isEmpty() ? other : last;
  }

  private static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  static boolean isTs(String text) {
    return TS.matcher(text).matches();
  }
}
