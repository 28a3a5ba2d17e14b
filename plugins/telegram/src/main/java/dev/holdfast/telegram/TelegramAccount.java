package dev.holdfast.telegram;

import dev.holdfast.api.Access;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.kit.ChannelAccounts;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One bot.
 *
 * @param polls whether it asks for its messages; else Telegram sends them to its webhook
 * @param webhookSecret what Telegram sends with each update
 * @param publicUrl where Telegram reaches this server, without a slash at its end; empty when the
 *     webhook is set by somebody else
 */
record TelegramAccount(
    String name,
    String token,
    boolean polls,
    String webhookSecret,
    String publicUrl,
    Access access) {
  static final String VARIABLE = "TELEGRAM_BOT_TOKEN";
  private static final Pattern TOKEN = Pattern.compile("[0-9]{1,20}:[A-Za-z0-9_-]{1,200}");
  private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9_-]{1,256}");

  /**
   * Reads {@code channels.telegram.accounts.NAME}; what cannot be used is reported to the section.
   *
   * @param publicUrl of the channel, for accounts that have none of their own
   */
  static TelegramAccount read(
      PluginConfig section, String name, Optional<String> variable, String publicUrl) {
    String token = ChannelAccounts.secret(section, name, "token", VARIABLE, variable);
    if (!token.isEmpty() && !TOKEN.matcher(token).matches()) {
      section.problem(
          "token",
          "token must be what BotFather shows, such as 123456789:AAF..., and nothing else");
      token = "";
    }
    String mode = section.text("mode", "poll");
    if (!mode.equals("poll") && !mode.equals("webhook")) {
      section.problem("mode", "mode must be poll or webhook, got " + mode);
    }
    String secret = section.secret("webhook_secret");
    if (!secret.isEmpty() && !SECRET.matcher(secret).matches()) {
      section.problem(
          "webhook_secret",
          "webhook_secret must have from 1 to 256 letters, digits, - and _: Telegram takes nothing"
              + " else");
    }
    String url = ChannelAccounts.publicUrl(section, publicUrl);
    boolean polls = !mode.equals("webhook");
    if (!polls && url.isEmpty() && secret.isEmpty()) {
      section.problem(
          "mode",
          "mode: webhook needs public_url, so that the webhook can be set, or the webhook_secret"
              + " that it was set with");
    }
    return new TelegramAccount(
        name, token, polls, secret.isEmpty() ? secretOf(token) : secret, url, Access.of(section));
  }

  /** The same after each start, and known to nobody who does not know the token. */
  private static String secretOf(String token) {
    if (token.isEmpty()) {
      return "";
    }
    byte[] purpose = "holdfast webhook".getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(HmacKey.ofText(HmacKey.Algorithm.SHA256, token).sign(purpose));
  }

  /** The bot's own id, with which its token begins. */
  String botId() {
    return token.substring(0, token.indexOf(':'));
  }

  /** Where Telegram is to send updates. */
  String webhookUrl() {
    return publicUrl + "/webhooks/" + TelegramChannel.NAME + "/" + name;
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "TelegramAccount[" + name + "]";
  }
}
