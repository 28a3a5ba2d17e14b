package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.api.channels.Ed25519Key;
import dev.holdfast.api.channels.SignedTime;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What Discord posts to one account: interactions, all signed. Thread-safe. */
final class InteractionIntake {
  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final Duration IDENTITY_MAX = Duration.ofMillis(1500);
  private static final String JSON = "application/json";

  private final DiscordBot bot;
  private final OpenInteractions open;
  private final Ed25519Key key;

  /** Of an account with a public key. */
  InteractionIntake(DiscordBot bot, OpenInteractions open) {
    this.bot = bot;
    this.open = open;
    this.key = Ed25519Key.ofHex(bot.account().publicKey());
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    Optional<String> doubt = doubt(request);
    if (doubt.isPresent()) {
      return new WebhookVerdict.Refused(doubt.get());
    }
    if (!mediaType(request).equals(JSON)) {
      return new WebhookVerdict.Unparsable("the content type is not JSON");
    }
    Map<String, Object> interaction;
    try {
      interaction = JsonText.object(new String(request.body(), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException _) {
      return new WebhookVerdict.Unparsable("the body is not what its content type says");
    }
    return JsonText.whole(interaction, "type", 0) == InteractionReader.PING
        ? answer(Map.of("type", DeferredAnswer.PONG))
        : read(interaction);
  }

  /** Why the request is not believed. */
  private Optional<String> doubt(WebhookRequest request) {
    String time = request.onlyHeader("x-signature-timestamp");
    if (!SignedTime.isWithin(time, request.receivedAt(), WINDOW)) {
      return Optional.of("its time is missing, stale or in the future");
    }
    boolean isSigned =
        key.verifiesHex(
            request.onlyHeader("x-signature-ed25519"),
            time.getBytes(StandardCharsets.UTF_8),
            request.body());
    return isSigned ? Optional.empty() : Optional.of("its signature is missing or wrong");
  }

  private static String mediaType(WebhookRequest request) {
    String type = request.onlyHeader("content-type");
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  private static WebhookVerdict.Answer answer(Map<String, ?> body) {
    return new WebhookVerdict.Answer(200, JSON, JsonText.write(body));
  }

  /** While it is not known who the bot is, the person has to try again. */
  private WebhookVerdict read(Map<String, Object> interaction) throws InterruptedException {
    DiscordIdentity me;
    try {
      me = bot.identity(IDENTITY_MAX);
    } catch (CallFailedException e) {
      bot.context()
          .logger()
          .log(
              Level.WARNING,
              "account {0}: an interaction was not taken: {1}",
              bot.name(),
              e.failure().summary());
      return new WebhookVerdict.Answer(503, "text/plain", "");
    }
    return switch (bot.interactions().read(interaction, me)) {
      case DiscordEvent.Commanded(var message, Deferred deferred) -> {
        open.open(bot.name(), deferred);
        yield new WebhookVerdict.Messages(
            List.of(message), List.of(), Optional.of(answer(DeferredAnswer.thinking(deferred))));
      }
      case DiscordEvent.Clicked(var click, Deferred _) ->
          new WebhookVerdict.Clicked(click, Optional.of(answer(DeferredAnswer.UPDATE)));
      case DiscordEvent.Misused(String text, Deferred _) -> answer(DeferredAnswer.saying(text));
      case DiscordEvent.Dropped(var reason) ->
          new WebhookVerdict.Messages(List.of(), List.of(reason));
      case DiscordEvent.Said _, DiscordEvent.Posted _, DiscordEvent.Ignored _ ->
          new WebhookVerdict.Messages(List.of());
    };
  }
}
