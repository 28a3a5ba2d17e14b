package dev.holdfast.telegram;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Whether what a bot needs is there. */
final class AccountChecks {
  private static final Duration CALL_MAX = Duration.ofSeconds(8);

  /** An error that is older is over, unless updates wait. */
  private static final Duration ERROR_FRESH = Duration.ofMinutes(10);

  private final BotAccount bot;
  private final Instant now;
  private final List<ChannelCheck> checks = new ArrayList<>();

  private AccountChecks(BotAccount bot, Instant now) {
    this.bot = bot;
    this.now = now;
  }

  static List<ChannelCheck> of(BotAccount bot, Instant now) throws InterruptedException {
    AccountChecks checks = new AccountChecks(bot, now);
    if (checks.checkToken()) {
      checks.checkWebhook();
    }
    checks.checkAccess();
    return List.copyOf(checks.checks);
  }

  private boolean checkToken() throws InterruptedException {
    try {
      BotAnswer answer = bot.api().call("getMe", Map.of(), CALL_MAX);
      if (!answer.isOk()) {
        checks.add(ChannelCheck.missing("the token is valid", answer.failure().message()));
        return false;
      }
      BotIdentity me = BotIdentity.of(answer.result());
      checks.add(ChannelCheck.met("the token is valid: it is the one of @" + me.userName()));
      checks.add(
          ChannelCheck.met(
              me.readsGroups()
                  ? "in groups it gets all messages (privacy mode is off)"
                  : "in groups it gets commands, mentions of it and replies to it (privacy mode is"
                      + " on; /setprivacy in BotFather changes that)"));
      return true;
    } catch (CallFailedException e) {
      checks.add(
          ChannelCheck.missing(
              "Telegram can be reached",
              "let this server connect to it, or set channels.telegram.base_url: "
                  + e.failure().message()));
      return false;
    }
  }

  private void checkWebhook() throws InterruptedException {
    try {
      BotAnswer answer = bot.api().call("getWebhookInfo", Map.of(), CALL_MAX);
      if (answer.isOk()) {
        checkMode(answer.result());
      } else {
        checks.add(
            ChannelCheck.missing("the webhook is as it should be", answer.failure().message()));
      }
    } catch (CallFailedException e) {
      checks.add(ChannelCheck.missing("the webhook is as it should be", e.failure().message()));
    }
  }

  private void checkMode(Map<String, Object> info) {
    String url = JsonText.text(info, "url");
    long pending = JsonText.whole(info, "pending_update_count", 0);
    String waits = " (" + pending + " updates wait at Telegram)";
    if (bot.account().polls()) {
      checks.add(
          url.isEmpty()
              ? ChannelCheck.met("no webhook is set, so it can poll" + waits)
              : ChannelCheck.missing(
                  "no webhook is set, so it can poll",
                  "another process has set one with this token: stop it, then restart this plugin,"
                      + " which deletes the webhook"));
      return;
    }
    String expected = bot.account().publicUrl().isEmpty() ? "" : bot.account().webhookUrl();
    if (url.isEmpty()) {
      checks.add(
          ChannelCheck.missing(
              "a webhook is set",
              expected.isEmpty()
                  ? "set it with setWebhook and the webhook_secret, or write public_url into the"
                      + " configuration"
                  : "the server sets it at its start and tries again for as long as that fails: see"
                      + " its log"));
    } else if (!expected.isEmpty() && !url.equals(expected)) {
      checks.add(
          ChannelCheck.missing(
              "the webhook is " + expected,
              "another process has set another one with this token: stop it, then restart this"
                  + " plugin"));
    } else {
      checks.add(ChannelCheck.met("the webhook is set" + waits));
    }
    checkDeliveries(info, pending);
  }

  private void checkDeliveries(Map<String, Object> info, long pending) {
    Instant at = Instant.ofEpochSecond(JsonText.whole(info, "last_error_date", 0));
    String error = JsonText.text(info, "last_error_message").replaceAll("\\p{C}", " ");
    boolean isFresh = Duration.between(at, now).compareTo(ERROR_FRESH) < 0;
    if (!error.isEmpty() && (isFresh || pending > 0)) {
      checks.add(
          ChannelCheck.missing(
              "Telegram can deliver to the webhook",
              "it says: \""
                  + error.substring(0, Math.min(error.length(), 300))
                  + "\"; look at the proxy before this server, its certificate and public_url"));
    }
  }

  private void checkAccess() {
    Access access = bot.account().access();
    boolean answersNobody =
        access.users().isEmpty()
            && access.chats().isEmpty()
            && access.strangers() == Access.Strangers.DENY;
    checks.add(
        answersNobody
            ? ChannelCheck.missing(
                "somebody is answered",
                "write strangers: pair into the section of the account, or ids into its"
                    + " allow.users")
            : ChannelCheck.met("somebody is answered"));
  }
}
