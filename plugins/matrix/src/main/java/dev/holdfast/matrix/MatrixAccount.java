package dev.holdfast.matrix;

import dev.holdfast.api.Access;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.kit.ChannelAccounts;
import java.util.Optional;
import java.util.function.Function;

/**
 * One user of a homeserver.
 *
 * @param baseUrl of the homeserver, without a slash at its end
 * @param userId whose the token has to be; empty when that does not matter
 * @param hsToken with which the homeserver shows itself; empty when the account listens
 * @param appserviceId the id of the registration; empty when it is not to be checked
 * @param listens whether it asks for events itself ({@code /sync}); else the homeserver sends them
 */
record MatrixAccount(
    String name,
    String baseUrl,
    String token,
    String userId,
    String hsToken,
    String appserviceId,
    boolean listens,
    Access access) {
  static final String ACCESS_TOKEN = "MATRIX_ACCESS_TOKEN";
  static final String HS_TOKEN = "MATRIX_HS_TOKEN";
  private static final String EXAMPLE = "https://matrix.example.org";
  private static final int HS_TOKEN_UNITS_LEAST = 16;

  /**
   * Reads {@code channels.matrix.accounts.NAME}; what cannot be used is reported to the section.
   *
   * @param channelUrl {@code channels.matrix.base_url}; empty when it has none
   * @param variables of the environment, for the account {@value ChannelAccounts#MAIN}
   */
  static MatrixAccount read(
      PluginConfig section,
      String name,
      String channelUrl,
      Function<String, Optional<String>> variables) {
    String token =
        ChannelAccounts.secret(
            section, name, "access_token", ACCESS_TOKEN, variables.apply(ACCESS_TOKEN));
    String userId = section.text("user_id", "").strip();
    if (!userId.isEmpty() && !MatrixIds.isUser(userId)) {
      section.problem("user_id", "user_id must be a Matrix ID such as @bot:example.org");
    }
    String mode = section.text("mode", "sync");
    boolean listens = !mode.equals("appservice");
    if (listens && !mode.equals("sync")) {
      section.problem("mode", "mode must be sync or appservice, got " + mode);
    }
    String hsToken = section.secret("hs_token").strip();
    if (!listens && hsToken.isEmpty()) {
      hsToken =
          ChannelAccounts.secret(section, name, "hs_token", HS_TOKEN, variables.apply(HS_TOKEN));
    }
    if (!hsToken.isEmpty() && hsToken.length() < HS_TOKEN_UNITS_LEAST) {
      section.problem(
          "hs_token",
          "hs_token must have at least %d characters, or it can be guessed"
              .formatted(HS_TOKEN_UNITS_LEAST));
    }
    return new MatrixAccount(
        name,
        url(section, channelUrl),
        token,
        userId,
        hsToken,
        section.text("appservice_id", "").strip(),
        listens,
        Access.of(section));
  }

  private static String url(PluginConfig section, String channelUrl) {
    String url = ChannelAccounts.baseUrl(section, "base_url", usual(channelUrl));
    if (section.text("base_url", channelUrl).isBlank()) {
      section.problem(
          "base_url", "base_url is missing: the address of the homeserver, for example " + EXAMPLE);
    }
    return url;
  }

  /** One that cannot be used is named by the check of {@code base_url}. */
  private static String usual(String channelUrl) {
    return channelUrl.isBlank() ? EXAMPLE : channelUrl;
  }

  /** Whether something is missing that nothing works without. */
  boolean isIncomplete() {
    return token.isEmpty() || (!listens && hsToken.isEmpty());
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "MatrixAccount[" + name + "]";
  }
}
