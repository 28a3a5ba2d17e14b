package dev.holdfast.discord;

import dev.holdfast.api.Access;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.channels.Ed25519Key;
import dev.holdfast.kit.ChannelAccounts;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * One bot.
 *
 * @param publicKey of its application, 64 hexadecimal digits, for interactions over HTTP; empty
 *     without it
 * @param listens whether it opens a connection to the Gateway; else there are interactions alone
 * @param readsAll whether it reads messages of servers that do not mention it, which Discord has to
 *     be asked for
 * @param registersCommands whether it tells Discord its slash commands
 */
record DiscordAccount(
    String name,
    String token,
    String publicKey,
    boolean listens,
    boolean readsAll,
    boolean registersCommands,
    Access access) {
  static final String TOKEN = "DISCORD_BOT_TOKEN";
  static final String PUBLIC_KEY = "DISCORD_PUBLIC_KEY";

  /** What can stand in a header. */
  private static final Pattern TOKEN_FORM = Pattern.compile("[!-~]{1,500}");

  /**
   * Reads {@code channels.discord.accounts.NAME}; what cannot be used is reported to the section.
   *
   * @param variables of the environment, for the account {@value ChannelAccounts#MAIN}
   */
  static DiscordAccount read(
      PluginConfig section, String name, Function<String, Optional<String>> variables) {
    String token =
        ChannelAccounts.secret(section, name, "bot_token", TOKEN, variables.apply(TOKEN));
    if (!token.isEmpty() && !TOKEN_FORM.matcher(token).matches()) {
      section.problem(
          "bot_token",
          "bot_token must be the token alone, without Bot before it: Discord shows it under Bot,"
              + " Reset Token");
    }
    String key = key(section, name, variables.apply(PUBLIC_KEY));
    String mode = section.text("mode", "gateway");
    boolean listens = !mode.equals("interactions");
    if (listens && !mode.equals("gateway")) {
      section.problem("mode", "mode must be gateway or interactions, got " + mode);
    }
    if (!listens && key.isEmpty()) {
      section.problem(
          "public_key",
          "public_key is missing, which mode: interactions needs: Discord shows it under General"
              + " Information");
    }
    return new DiscordAccount(
        name,
        token,
        key,
        listens,
        section.flag("message_content", true),
        section.flag("register_commands", true),
        Access.of(section));
  }

  private static String key(PluginConfig section, String name, Optional<String> variable) {
    String own = section.text("public_key", "").strip();
    boolean isMain = name.equals(ChannelAccounts.MAIN);
    String key =
        (own.isEmpty() && isMain ? variable.orElse("") : own).strip().toLowerCase(Locale.ROOT);
    if (key.isEmpty()) {
      return "";
    }
    try {
      Ed25519Key _ = Ed25519Key.ofHex(key);
      return key;
    } catch (IllegalArgumentException _) {
      section.problem(
          "public_key",
          "public_key must have 64 hexadecimal digits: Discord shows it under General Information");
      return "";
    }
  }

  boolean isComplete() {
    return !token.isEmpty() && (listens || !publicKey.isEmpty());
  }

  /** Whether the configuration alone lets the person in; who was paired is not known here. */
  boolean names(String user, String chat) {
    return access.users().contains("*")
        || access.users().contains(user)
        || access.chats().contains("*")
        || access.chats().contains(chat);
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "DiscordAccount[" + name + "]";
  }
}
