package dev.holdfast.telegram;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.api.channels.ConstantTime;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes in what Telegram sends to the webhook of one bot. An update of an unknown shape, or one
 * with too much in it, is answered as if it had been taken: Telegram would send it again and again,
 * and hold back all that comes after it. What is no JSON object is no update. Thread-safe.
 */
final class WebhookIntake {
  private static final String SECRET_HEADER = "x-telegram-bot-api-secret-token";

  /** The platform waits for 2.5 s in all. */
  private static final Duration IDENTITY_MAX = Duration.ofSeconds(2);

  private final PluginContext context;
  private final BotAccount bot;

  WebhookIntake(PluginContext context, BotAccount bot) {
    this.context = context;
    this.bot = bot;
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    TelegramAccount account = bot.account();
    if (account.polls()) {
      return new WebhookVerdict.Refused("the account polls; set mode: webhook to use a webhook");
    }
    String presented = request.onlyHeader(SECRET_HEADER);
    if (presented.isEmpty() || !ConstantTime.equal(account.webhookSecret(), presented)) {
      return new WebhookVerdict.Refused("the secret token is missing, wrong or there twice");
    }
    Map<String, Object> update;
    try {
      update = JsonText.object(new String(request.body(), StandardCharsets.UTF_8));
    } catch (JsonText.TooLargeException _) {
      context
          .logger()
          .log(Level.WARNING, "account {0}: an update cannot be read and is skipped", bot.name());
      return taken();
    } catch (IllegalArgumentException _) {
      return new WebhookVerdict.Unparsable("the body is no JSON object");
    }
    return verdict(update);
  }

  private WebhookVerdict verdict(Map<String, Object> update) throws InterruptedException {
    BotIdentity me;
    try {
      me = bot.api().identity(IDENTITY_MAX);
    } catch (CallFailedException e) {
      // Without its name nobody can say what is meant for the bot; Telegram sends it again.
      throw new IllegalStateException("the bot's name is not known: " + e.failure().summary(), e);
    }
    return switch (bot.reader().read(update, me)) {
      case TelegramUpdate.Said(var message) -> new WebhookVerdict.Messages(List.of(message));
      case TelegramUpdate.Dropped(var reason) ->
          new WebhookVerdict.Messages(List.of(), List.of(reason));
      case TelegramUpdate.Clicked(var click) -> new WebhookVerdict.Clicked(click, Optional.empty());
      case TelegramUpdate.Migrated moved -> {
        bot.note(moved);
        yield taken();
      }
      case TelegramUpdate.Membership change -> {
        bot.note(change);
        yield taken();
      }
      case TelegramUpdate.Ignored _ -> taken();
    };
  }

  private static WebhookVerdict taken() {
    return new WebhookVerdict.Messages(List.of());
  }
}
