package dev.holdfast.discord;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads interactions of one account, whichever way they came. Thread-safe. */
final class InteractionReader {
  static final long PING = 1;
  private static final long COMMAND = 2;
  private static final long COMPONENT = 3;
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_=.-]{1,1000}");
  private static final Pattern CHOICE = Pattern.compile("[A-Za-z0-9_-]{22}");

  private final DiscordAccount account;
  private final KnownChannels channels;

  InteractionReader(DiscordAccount account, KnownChannels channels) {
    this.account = account;
    this.channels = channels;
  }

  DiscordEvent read(Map<String, Object> interaction, DiscordIdentity me) {
    if (!JsonText.id(interaction, "application_id").equals(me.app())) {
      return new DiscordEvent.Dropped(DropReason.NOT_ALLOWED);
    }
    Map<String, Object> at = JsonText.map(interaction, "channel");
    String channel = firstOf(JsonText.id(interaction, "channel_id"), JsonText.id(at, "id"));
    Map<String, Object> member = JsonText.map(interaction, "member");
    Map<String, Object> user = JsonText.map(member, "user");
    user = user.isEmpty() ? JsonText.map(interaction, "user") : user;
    String sender = JsonText.id(user, "id");
    String id = JsonText.id(interaction, "id");
    String token = JsonText.text(interaction, "token");
    if (!DiscordMessageReader.isId(channel)
        || !DiscordMessageReader.isId(sender)
        || !DiscordMessageReader.isId(id)
        || !TOKEN.matcher(token).matches()) {
      return new DiscordEvent.Ignored();
    }
    String guild = JsonText.id(interaction, "guild_id");
    Optional<KnownChannels.ChannelFacts> facts = Optional.empty();
    if (!at.isEmpty()) {
      facts = Optional.of(KnownChannels.ChannelFacts.of(at));
      channels.learn(channel, new KnownChannels.ChannelFacts(facts.get().parent(), guild));
    }
    Origin origin =
        DiscordMessageReader.origin(
            channel,
            guild,
            facts,
            DiscordMessageReader.name(member, user),
            JsonText.flag(user, "bot"),
            true);
    // In a channel only those see "is thinking" for whom it surely is.
    boolean isPrivate = !guild.isEmpty() && !account.names(sender, origin.chat());
    Deferred deferred = new Deferred(id, me.app(), token, channel, isPrivate);
    Map<String, Object> data = JsonText.map(interaction, "data");
    long type = JsonText.whole(interaction, "type", 0);
    if (type == COMPONENT) {
      String choice = JsonText.text(data, "custom_id");
      return CHOICE.matcher(choice).matches()
          ? new DiscordEvent.Clicked(
              new Click(account.name(), channel, sender, choice, deferred.path()), deferred)
          : new DiscordEvent.Misused("This button no longer works.", deferred);
    }
    if (type != COMMAND) {
      return new DiscordEvent.Ignored();
    }
    return command(data)
        .<DiscordEvent>map(
            text ->
                new DiscordEvent.Commanded(
                    new InboundMessage(
                        account.name(), channel, sender, text, files(data), deferred.key(), origin),
                    deferred))
        .orElseGet(
            () -> new DiscordEvent.Misused("I do not know this command: use /ask.", deferred));
  }

  private static String firstOf(String one, String other) {
    return one.isEmpty() ? other : one;
  }

  /** What a command says; empty when it is none of ours. */
  private static Optional<String> command(Map<String, Object> data) {
    String name = JsonText.text(data, "name");
    if (JsonText.whole(data, "type", 1) != 1) {
      return Optional.empty();
    }
    return switch (name) {
      case "ask" -> Optional.of(option(data, "text"));
      case "stop" ->
          Optional.of(
              JsonText.maps(data, "options").stream()
                      .anyMatch(option -> JsonText.flag(option, "value"))
                  ? "/stop all"
                  : "/stop");
      case "new", "status", "help" -> Optional.of("/" + name);
      default -> Optional.empty();
    };
  }

  private static String option(Map<String, Object> data, String name) {
    return JsonText.maps(data, "options").stream()
        .filter(option -> JsonText.text(option, "name").equals(name))
        .map(option -> JsonText.text(option, "value").strip())
        .findFirst()
        .orElse("");
  }

  private static List<Attachment> files(Map<String, Object> data) {
    Map<String, Object> all = JsonText.map(JsonText.map(data, "resolved"), "attachments");
    List<Attachment> files = new ArrayList<>();
    for (Map<String, Object> option : JsonText.maps(data, "options")) {
      Map<String, Object> file = JsonText.map(all, JsonText.id(option, "value"));
      if (!file.isEmpty()) {
        files.add(DiscordFiles.attachment(file));
      }
    }
    return files;
  }
}
