package dev.holdfast.kit;

import dev.holdfast.api.PluginConfig;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How the sections of channels name their accounts: {@code accounts.NAME}, each with secrets of its
 * own. A secret that the account {@value #MAIN} does not have comes from a variable, so that a
 * channel with one account needs no more than that. For one thread.
 */
public final class ChannelAccounts {
  /** The account that there is when none is named. */
  public static final String MAIN = "main";

  private ChannelAccounts() {}

  /** What the channel's section names; else {@value #MAIN} with an empty section. */
  public static Map<String, PluginConfig> of(PluginConfig channel) {
    Map<String, PluginConfig> named = new LinkedHashMap<>(channel.named("accounts"));
    if (named.isEmpty()) {
      named.put(MAIN, channel.section("accounts").section(MAIN));
    }
    return named;
  }

  /**
   * A secret of an account. When it has none, that is reported to its section.
   *
   * @param account its name
   * @param variable what the secret of {@value #MAIN} is called in the environment
   * @param value of that variable
   */
  public static String secret(
      PluginConfig section, String account, String key, String variable, Optional<String> value) {
    String own = section.secret(key);
    if (!own.isBlank()) {
      return own.strip();
    }
    boolean isMain = account.equals(MAIN);
    if (isMain && value.isPresent()) {
      return value.get().strip();
    }
    section.problem(
        key,
        isMain
            ? "%s is missing: write %s=... into holdfast.env, or %s: here"
                .formatted(key, variable, key)
            : "%s is missing: write %s: \"${NAME}\", and NAME=... into holdfast.env"
                .formatted(key, key));
    return "";
  }

  /**
   * Where a platform reaches this server, {@code public_url}; without a slash at its end.
   *
   * @param fallback when the section has none; may be empty
   */
  public static String publicUrl(PluginConfig section, String fallback) {
    return section.text("public_url", "").isEmpty()
        ? fallback
        : baseUrl(section, "public_url", "https://bot.example.org");
  }

  /** An address that can be overridden; without a slash at its end. */
  public static String baseUrl(PluginConfig section, String key, String usual) {
    String said = section.text(key, usual).strip();
    String url = said.endsWith("/") ? said.substring(0, said.length() - 1) : said;
    if (!isHttp(url)) {
      section.problem(
          key, key + " must be an http or https address without a query, for example " + usual);
      return usual;
    }
    return url;
  }

  private static boolean isHttp(String url) {
    try {
      URI uri = URI.create(url);
      String scheme = String.valueOf(uri.getScheme());
      return (scheme.equals("https") || scheme.equals("http"))
          && uri.getHost() != null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
