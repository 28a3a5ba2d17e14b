package dev.holdfast.channels;

import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Section;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The {@code channels.webhook} section of holdfast.yaml: its accounts by name, in the order of the
 * file.
 */
public record WebhookConfig(Map<String, Account> accounts) {
  /** A name stands in paths and in thread ids, where a colon ends it. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private static final int ALLOW_MAX = 10_000;

  public WebhookConfig {
    accounts = Collections.unmodifiableMap(new LinkedHashMap<>(accounts));
    for (String name : accounts.keySet()) {
      if (!NAME.matcher(name).matches()) {
        throw new RefusedValueException(
            "accounts",
            "accounts: a name must have from 1 to 64 letters, digits, dots, hyphens or underscores, got "
                + name);
      }
    }
  }

  /**
   * One sender of webhooks.
   *
   * @param secrets the one that signs first; a second one is the former secret, still believed
   * @param replyUrl where replies are posted; empty when the account takes messages only
   * @param allow the senders that are answered; {@code *} stands for everybody
   */
  public record Account(List<Secret> secrets, String replyUrl, List<String> allow) {
    public Account {
      secrets = List.copyOf(secrets);
      allow = List.copyOf(allow);
      StandardWebhooks.of(secrets);
      if (!replyUrl.isEmpty()) {
        checkUrl(replyUrl);
      }
      if (allow.size() > ALLOW_MAX) {
        throw new RefusedValueException(
            "allow", "allow must have at most 10000 names, got " + allow.size());
      }
    }

    /** Reads {@code secret}, {@code previous_secret}, {@code reply_url} and {@code allow}. */
    public static Account from(Section account) {
      List<Secret> secrets = new ArrayList<>(List.of(account.secret("secret")));
      Secret previous = account.secret("previous_secret");
      if (!previous.isEmpty()) {
        secrets.add(previous);
      }
      return new Account(
          secrets, account.text("reply_url", ""), account.texts("allow", List.of("*")));
    }

    private static void checkUrl(String url) {
      try {
        URI uri = new URI(url);
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
          throw new RefusedValueException(
              "reply_url", "reply_url must begin with http:// or https://");
        }
        if (uri.getHost() == null || uri.getUserInfo() != null) {
          throw new RefusedValueException(
              "reply_url", "reply_url must name a host, without a user");
        }
      } catch (URISyntaxException e) {
        throw new RefusedValueException(
            "reply_url", "reply_url must be a URL: " + e.getReason(), e);
      }
    }
  }

  /** {@code webhook}: the section {@code channels.webhook}. */
  public static WebhookConfig from(Section webhook) {
    return new WebhookConfig(webhook.named("accounts", Account::from));
  }
}
