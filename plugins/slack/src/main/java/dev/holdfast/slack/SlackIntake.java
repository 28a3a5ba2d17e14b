package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.api.channels.SignedTime;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What Slack posts to one account: events as JSON, commands and clicks as forms, all signed alike.
 * Thread-safe.
 */
final class SlackIntake {
  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final Duration IDENTITY_MAX = Duration.ofMillis(1500);
  private static final String VERSION = "v0=";
  private static final int FIELDS_MAX = 100;
  private static final List<String> TYPES =
      List.of("event_callback", "url_verification", "app_rate_limited");

  private final SlackBot bot;
  private final HmacKey key;

  /** Of an account with a signing secret. */
  SlackIntake(SlackBot bot) {
    this.bot = bot;
    this.key = HmacKey.ofText(HmacKey.Algorithm.SHA256, bot.account().signingSecret());
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    Optional<String> doubt = doubt(request);
    if (doubt.isPresent()) {
      return new WebhookVerdict.Refused(doubt.get());
    }
    String body = new String(request.body(), StandardCharsets.UTF_8);
    try {
      return switch (mediaType(request)) {
        case "application/json" -> callback(JsonText.object(body));
        case "application/x-www-form-urlencoded" -> form(fields(body));
        default -> new WebhookVerdict.Unparsable("the content type is neither JSON nor a form");
      };
    } catch (IllegalArgumentException _) {
      return new WebhookVerdict.Unparsable("the body is not what its content type says");
    }
  }

  /** Why the request is not believed. */
  private Optional<String> doubt(WebhookRequest request) {
    String time = request.onlyHeader("x-slack-request-timestamp");
    if (!SignedTime.isWithin(time, request.receivedAt(), WINDOW)) {
      return Optional.of("its time is missing, stale or in the future");
    }
    String signature = request.onlyHeader("x-slack-signature");
    byte[] head = ("v0:" + time + ":").getBytes(StandardCharsets.UTF_8);
    boolean isSigned =
        signature.startsWith(VERSION)
            && key.matchesHex(signature.substring(VERSION.length()), head, request.body());
    return isSigned ? Optional.empty() : Optional.of("its signature is missing or wrong");
  }

  private static String mediaType(WebhookRequest request) {
    String type = request.onlyHeader("content-type");
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  private WebhookVerdict callback(Map<String, Object> body) throws InterruptedException {
    String type = JsonText.text(body, "type");
    return switch (type) {
      case "url_verification" ->
          new WebhookVerdict.Answer(200, "text/plain", JsonText.text(body, "challenge"));
      case "app_rate_limited" -> verdict(new SlackEvent.HeldBack());
      case "event_callback" -> withIdentity(me -> bot.reader().callback(body, me));
      default -> new WebhookVerdict.UnknownType(shown(type), TYPES);
    };
  }

  private static String shown(String type) {
    return type.substring(0, Math.min(type.length(), 100)).replaceAll("\\p{C}", "?");
  }

  private WebhookVerdict form(Map<String, Object> fields) throws InterruptedException {
    if (fields.containsKey("payload")) {
      Map<String, Object> payload = JsonText.object(JsonText.text(fields, "payload"));
      return withIdentity(me -> bot.reader().interaction(payload, me));
    }
    if (fields.containsKey("command")) {
      return withIdentity(me -> bot.reader().command(fields, me));
    }
    return fields.containsKey("ssl_check")
        ? new WebhookVerdict.Messages(List.of())
        : new WebhookVerdict.Unparsable("the form is neither a command nor a click");
  }

  private static Map<String, Object> fields(String body) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (String pair : body.split("&", FIELDS_MAX)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        fields.putIfAbsent(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
      }
    }
    return fields;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** Reads with the identity of the app. */
  @FunctionalInterface
  private interface Reading {
    SlackEvent by(SlackIdentity me);
  }

  /** While it is not known who the app is, Slack is to send again. */
  private WebhookVerdict withIdentity(Reading reading) throws InterruptedException {
    SlackIdentity me;
    try {
      me = bot.identity(IDENTITY_MAX);
    } catch (CallFailedException e) {
      bot.context()
          .logger()
          .log(
              Level.WARNING,
              "account {0}: an event has to come again: {1}",
              bot.name(),
              e.failure().summary());
      return new WebhookVerdict.Answer(503, "text/plain", "");
    }
    return verdict(reading.by(me));
  }

  private WebhookVerdict verdict(SlackEvent event) {
    return switch (event) {
      case SlackEvent.Said(InboundMessage message) -> new WebhookVerdict.Messages(List.of(message));
      case SlackEvent.Clicked(var click) -> new WebhookVerdict.Clicked(click, Optional.empty());
      case SlackEvent.Dropped(DropReason reason) ->
          new WebhookVerdict.Messages(List.of(), List.of(reason));
      case SlackEvent.HeldBack _ -> {
        bot.warnOfHeldBack();
        yield new WebhookVerdict.Messages(List.of());
      }
      case SlackEvent.Ignored _ -> new WebhookVerdict.Messages(List.of());
    };
  }
}
