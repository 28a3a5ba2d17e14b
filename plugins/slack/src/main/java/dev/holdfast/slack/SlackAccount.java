package dev.holdfast.slack;

import dev.holdfast.api.Access;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.kit.ChannelAccounts;
import java.util.Optional;
import java.util.function.Function;

/**
 * One app in one workspace.
 *
 * @param appToken for Socket Mode; empty without it
 * @param signingSecret for the Events API; empty without it
 * @param listens whether it opens connections itself (Socket Mode); else Slack sends requests
 * @param sockets how many connections it keeps open, from 1 to 3
 */
record SlackAccount(
    String name,
    String botToken,
    String appToken,
    String signingSecret,
    boolean listens,
    int sockets,
    Access access) {
  static final String BOT_TOKEN = "SLACK_BOT_TOKEN";
  static final String APP_TOKEN = "SLACK_APP_TOKEN";
  static final String SIGNING_SECRET = "SLACK_SIGNING_SECRET";
  private static final int SOCKETS_MOST = 3;

  /**
   * Reads {@code channels.slack.accounts.NAME}; what cannot be used is reported to the section.
   *
   * @param variables of the environment, for the account {@value ChannelAccounts#MAIN}
   */
  static SlackAccount read(
      PluginConfig section, String name, Function<String, Optional<String>> variables) {
    String bot =
        ChannelAccounts.secret(section, name, "bot_token", BOT_TOKEN, variables.apply(BOT_TOKEN));
    checkPrefix(section, "bot_token", bot, "xoxb-", "OAuth & Permissions");
    String app = optional(section, name, "app_token", variables.apply(APP_TOKEN));
    checkPrefix(section, "app_token", app, "xapp-", "Basic Information, App-Level Tokens");
    String signing = optional(section, name, "signing_secret", variables.apply(SIGNING_SECRET));
    String usual = app.isEmpty() && !signing.isEmpty() ? "events" : "socket";
    String mode = section.text("mode", usual);
    boolean listens = !mode.equals("events");
    if (listens && !mode.equals("socket")) {
      section.problem("mode", "mode must be socket or events, got " + mode);
    }
    if (mode.equals("socket") && app.isEmpty()) {
      section.problem("app_token", missing("app_token", name, APP_TOKEN, "mode: socket"));
    }
    if (mode.equals("events") && signing.isEmpty()) {
      section.problem(
          "signing_secret", missing("signing_secret", name, SIGNING_SECRET, "mode: events"));
    }
    int sockets = section.whole("sockets", 1);
    if (sockets < 1 || sockets > SOCKETS_MOST) {
      section.problem("sockets", "sockets must be from 1 to " + SOCKETS_MOST + ", got " + sockets);
    }
    return new SlackAccount(name, bot, app, signing, listens, sockets, Access.of(section));
  }

  private static String optional(
      PluginConfig section, String name, String key, Optional<String> variable) {
    String own = section.secret(key).strip();
    boolean isMain = name.equals(ChannelAccounts.MAIN);
    return own.isEmpty() && isMain ? variable.orElse("").strip() : own;
  }

  private static String missing(String key, String name, String variable, String mode) {
    return name.equals(ChannelAccounts.MAIN)
        ? "%s is missing, which %s needs: write %s=... into holdfast.env, or %s: here"
            .formatted(key, mode, variable, key)
        : "%s is missing, which %s needs: write %s: \"${NAME}\", and NAME=... into holdfast.env"
            .formatted(key, mode, key);
  }

  private static void checkPrefix(
      PluginConfig section, String key, String token, String prefix, String where) {
    if (!token.isEmpty() && !token.startsWith(prefix)) {
      section.problem(
          key, "%s must begin with %s: Slack shows it under %s".formatted(key, prefix, where));
    }
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "SlackAccount[" + name + "]";
  }
}
