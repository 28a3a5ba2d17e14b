package dev.holdfast.mattermost;

import dev.holdfast.api.Access;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.kit.ChannelAccounts;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One bot on one server.
 *
 * @param url of the server, without a slash at its end; empty when it is missing
 * @param token of the bot; empty when it is missing
 * @param slashTokens of slash commands; none when there are none
 * @param hookTokens of outgoing webhooks; none when there are none
 * @param listens whether it opens the WebSocket; else the server's requests are all that comes in
 * @param publicUrl where Mattermost reaches this server, without a slash at its end; empty when it
 *     does not: then there are no buttons
 */
record MattermostAccount(
    String name,
    String url,
    String token,
    List<String> slashTokens,
    List<String> hookTokens,
    boolean listens,
    String publicUrl,
    Access access) {
  static final String URL = "MATTERMOST_URL";
  static final String TOKEN = "MATTERMOST_TOKEN";
  static final String SLASH_TOKEN = "MATTERMOST_SLASH_TOKEN";
  static final String HOOK_TOKEN = "MATTERMOST_HOOK_TOKEN";
  private static final String EXAMPLE = "https://chat.example.org";
  private static final int TOKENS_MAX = 20;

  /**
   * Reads {@code channels.mattermost.accounts.NAME}; what cannot be used is reported to the
   * section.
   *
   * @param variables of the environment, for the account {@value ChannelAccounts#MAIN}
   * @param publicUrl of the channel
   */
  static MattermostAccount read(
      PluginConfig section,
      String name,
      Function<String, Optional<String>> variables,
      String publicUrl) {
    String url = url(section, name, variables.apply(URL));
    String token = ChannelAccounts.secret(section, name, "token", TOKEN, variables.apply(TOKEN));
    List<String> slash = tokens(section, name, "slash_token", variables.apply(SLASH_TOKEN));
    List<String> hook = tokens(section, name, "hook_token", variables.apply(HOOK_TOKEN));
    boolean listens = section.flag("websocket", true);
    if (!listens && slash.isEmpty() && hook.isEmpty()) {
      section.problem(
          "websocket",
          "with websocket: false nothing would come in: set slash_token or hook_token, or leave"
              + " websocket out");
    }
    return new MattermostAccount(
        name, url, token, slash, hook, listens, publicUrl, Access.of(section));
  }

  private static String url(PluginConfig section, String name, Optional<String> variable) {
    boolean isMain = name.equals(ChannelAccounts.MAIN);
    String usual = isMain ? variable.orElse("").strip() : "";
    if (section.text("url", usual).isBlank()) {
      section.problem(
          "url",
          isMain
              ? "url is missing: write %s=%s into holdfast.env, or url: here"
                  .formatted(URL, EXAMPLE)
              : "url is missing: write the address of the server, for example " + EXAMPLE);
      return "";
    }
    return ChannelAccounts.baseUrl(section, "url", usual.isEmpty() ? EXAMPLE : usual);
  }

  /** Each command and each webhook has a token of its own, and each team has its own of these. */
  private static List<String> tokens(
      PluginConfig section, String name, String key, Optional<String> variable) {
    String own = section.secret(key).strip();
    boolean isMain = name.equals(ChannelAccounts.MAIN);
    String all = own.isEmpty() && isMain ? variable.orElse("") : own;
    List<String> tokens =
        Arrays.stream(all.split("[\\s,]+", -1)).filter(token -> !token.isEmpty()).toList();
    if (tokens.size() > TOKENS_MAX) {
      section.problem(key, "%s must have at most %d tokens".formatted(key, TOKENS_MAX));
    }
    return tokens;
  }

  boolean isComplete() {
    return !url.isEmpty() && !token.isEmpty();
  }

  /** Whether Mattermost may send it requests. */
  boolean takesWebhooks() {
    return !slashTokens.isEmpty() || !hookTokens.isEmpty() || hasButtons();
  }

  boolean hasButtons() {
    return !publicUrl.isEmpty();
  }

  /** Where Mattermost is to send clicks. */
  String webhookUrl() {
    return publicUrl + "/webhooks/" + MattermostChannel.NAME + "/" + name;
  }

  String socketUrl() {
    return "ws" + url.substring("http".length()) + "/api/v4/websocket";
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "MattermostAccount[" + name + "]";
  }
}
