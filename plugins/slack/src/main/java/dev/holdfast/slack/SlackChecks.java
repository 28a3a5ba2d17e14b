package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whether an account has what it needs. Blocks the calling thread. */
final class SlackChecks {
  private static final Duration ASK_MAX = Duration.ofSeconds(8);

  /** What each scope is for: without it that does not work. */
  private static final Map<String, String> SCOPES = new LinkedHashMap<>();

  static {
    SCOPES.put("chat:write", "posting answers");
    SCOPES.put("app_mentions:read", "being mentioned in channels");
    SCOPES.put("im:history", "direct messages, and finding a lost answer in them");
    SCOPES.put("channels:history", "threads of public channels, and finding a lost answer there");
    SCOPES.put("groups:history", "threads of private channels, and finding a lost answer there");
    SCOPES.put("mpim:history", "direct messages of several people");
    SCOPES.put("files:read", "files that people send");
    SCOPES.put("files:write", "files in answers");
    SCOPES.put("reactions:read", "stopping by a reaction");
    SCOPES.put("users:read", "names of people");
    SCOPES.put("commands", "the slash command");
  }

  private SlackChecks() {}

  static List<ChannelCheck> of(SlackBot bot) throws InterruptedException {
    List<ChannelCheck> checks = new ArrayList<>();
    try {
      SlackAnswer answer = bot.api().call("auth.test", Map.of(), ASK_MAX);
      if (answer.isOk()) {
        add(checks, SlackIdentity.of(answer));
      } else {
        checks.add(ChannelCheck.missing("the bot token is valid", sentence(answer.failure())));
      }
    } catch (CallFailedException e) {
      checks.add(ChannelCheck.missing("Slack is reachable", sentence(e.failure())));
    }
    if (bot.account().listens()) {
      checks.add(socket(bot));
    } else {
      checks.add(ChannelCheck.met("a signing secret is configured, and mode: events is on"));
    }
    return checks;
  }

  private static void add(List<ChannelCheck> checks, SlackIdentity me) {
    checks.add(
        ChannelCheck.met(
            "the bot token is valid, for the user %s in the workspace %s (%s)"
                .formatted(me.user(), shown(me.teamName()), me.team())));
    if (me.scopes().isEmpty()) {
      return; // what stands in for Slack may name none
    }
    SCOPES.forEach(
        (scope, use) -> {
          String what = "the bot token has the scope %s, for %s".formatted(scope, use);
          checks.add(
              me.scopes().contains(scope)
                  ? ChannelCheck.met(what)
                  : ChannelCheck.missing(
                      what,
                      "Add %s under OAuth & Permissions, and install the app again"
                          .formatted(scope)));
        });
  }

  private static ChannelCheck socket(SlackBot bot) throws InterruptedException {
    String what = "the app token opens sockets";
    try {
      String _ = SocketMode.address(bot);
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
    return said.substring(0, 1).toUpperCase(Locale.ROOT) + said.substring(1);
  }
}
