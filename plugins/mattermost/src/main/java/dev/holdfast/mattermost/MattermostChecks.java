package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether an account has what it needs. Blocks the calling thread. */
final class MattermostChecks {
  /** All of them have 20 s. */
  private static final Duration ASK_MAX = Duration.ofSeconds(4);

  /** Then no further channel is asked for. */
  private static final Duration PLACES_MAX = Duration.ofSeconds(15);

  private static final int CHANNELS_MAX = 20;

  /** The first that lists a bot's channels over all teams. */
  private static final int MAJOR_LEAST = 6;

  private static final int MINOR_LEAST = 1;
  private static final Pattern VERSION = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4})(\\.[0-9]+)?");

  private MattermostChecks() {}

  static List<ChannelCheck> of(MattermostBot bot) throws InterruptedException {
    List<ChannelCheck> checks = new ArrayList<>();
    try {
      MattermostAnswer answer = bot.api().get("/users/me", ASK_MAX);
      MattermostIdentity me = bot.identityOf(answer);
      checks.add(ChannelCheck.met("the token is valid, for @" + shown(me.name())));
      checks.add(version(answer));
      checks.add(kind(me));
      checks.add(roles(me));
      checks.addAll(places(bot));
    } catch (CallFailedException e) {
      boolean isToken = e.failure().code() == FailureCode.AUTH;
      checks.add(
          ChannelCheck.missing(
              isToken ? "the token is valid" : "Mattermost is reachable", sentence(e.failure())));
      return checks;
    }
    if (bot.account().listens()) {
      checks.add(socket(bot));
    }
    if (bot.account().takesWebhooks()) {
      checks.add(
          ChannelCheck.met(
              "the webhook is configured; whether Mattermost reaches it is not looked at"));
    }
    return checks;
  }

  private static ChannelCheck version(MattermostAnswer answer) {
    String said = answer.headers().getOrDefault("x-version-id", List.of("")).getFirst();
    Matcher version = VERSION.matcher(said);
    if (!version.lookingAt()) {
      return ChannelCheck.met("Mattermost does not tell its version");
    }
    String what = "Mattermost has the version " + version.group();
    int major = Integer.parseInt(version.group(1));
    int minor = Integer.parseInt(version.group(2));
    return major > MAJOR_LEAST || (major == MAJOR_LEAST && minor >= MINOR_LEAST)
        ? ChannelCheck.met(what)
        : ChannelCheck.missing(
            what,
            "Update it: from version %d.%d on it is supported".formatted(MAJOR_LEAST, MINOR_LEAST));
  }

  private static ChannelCheck kind(MattermostIdentity me) {
    String what = "the account is a bot";
    return me.isBot()
        ? ChannelCheck.met(what)
        : ChannelCheck.missing(
            what,
            "The token is a person's: create one under Integrations, Bot Accounts, so that answers"
                + " are marked as a bot's");
  }

  private static ChannelCheck roles(MattermostIdentity me) {
    String what = "the bot may do no more than it needs";
    return me.roles().contains("system_admin")
        ? ChannelCheck.missing(
            what, "The bot is a system administrator: under Bot Accounts, make it a member")
        : ChannelCheck.met(what);
  }

  /**
   * Whether the bot is in a team, and in the first channels of {@code allow.chats}.
   *
   * @throws CallFailedException when that cannot be told now
   */
  static List<ChannelCheck> places(MattermostBot bot)
      throws CallFailedException, InterruptedException {
    long begun = bot.context().nanos();
    List<ChannelCheck> checks = new ArrayList<>();
    checks.add(teams(bot));
    for (String channel :
        bot.account().access().chats().stream().sorted().limit(CHANNELS_MAX).toList()) {
      if (bot.context().nanos() - begun > PLACES_MAX.toNanos()) {
        throw new CallFailedException(
            Failure.of(FailureCode.TIMEOUT, "Mattermost takes too long to say where the bot is"));
      }
      if (MattermostPlace.isId(channel)) {
        checks.add(member(bot, channel));
      }
    }
    return checks;
  }

  private static ChannelCheck teams(MattermostBot bot)
      throws CallFailedException, InterruptedException {
    String what = "the bot is in a team";
    return bot.api().get("/users/me/teams", ASK_MAX).orThrow().items().isEmpty()
        ? ChannelCheck.missing(
            what, "Add the bot to a team: until then nobody finds it, and it hears nothing")
        : ChannelCheck.met(what);
  }

  /** Of a channel in which everybody is to be answered. */
  private static ChannelCheck member(MattermostBot bot, String channel)
      throws CallFailedException, InterruptedException {
    String what = "the bot is in the channel " + channel;
    MattermostAnswer answer = bot.api().get("/channels/" + channel, ASK_MAX);
    MattermostAnswer membership = bot.api().get("/channels/" + channel + "/members/me", ASK_MAX);
    if (membership.isRefused()) {
      return ChannelCheck.missing(what, "Add it there, or take the channel out of allow.chats");
    }
    Map<String, Object> _ = membership.orThrow().body();
    return answer.isOk() && JsonText.whole(answer.body(), "delete_at", 0) > 0
        ? ChannelCheck.missing(
            what, "The channel is archived: unarchive it, or take it out of allow.chats")
        : ChannelCheck.met(what);
  }

  private static ChannelCheck socket(MattermostBot bot) throws InterruptedException {
    String what = "the WebSocket opens and says hello";
    try (MattermostSocket _ = MattermostSocket.open(bot, ReadPosition.NONE)) {
      return ChannelCheck.met(what);
    } catch (CallFailedException e) {
      return ChannelCheck.missing(what, sentence(e.failure()));
    }
  }

  private static String shown(String name) {
    return name.substring(0, Math.min(name.length(), 100)).replaceAll("\\p{C}", "?");
  }

  private static String sentence(Failure failure) {
    String said = failure.message();
    return said.substring(0, 1).toUpperCase(Locale.ROOT)
        + said.substring(1, Math.min(said.length(), 900));
  }
}
