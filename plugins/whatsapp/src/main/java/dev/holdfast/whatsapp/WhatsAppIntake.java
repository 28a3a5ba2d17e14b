package dev.holdfast.whatsapp;

import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.api.channels.ConstantTime;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What Meta sends to the webhook of one account: the handshake, and signed deliveries. An app has
 * one webhook, so those of another account with the same app secret are taken, too. Thread-safe.
 */
final class WhatsAppIntake {
  private static final String PREFIX = "sha256=";
  private static final Pattern CHALLENGE = Pattern.compile("[A-Za-z0-9._~-]{1,256}");

  /** Meta puts at most 1,000 into one delivery. */
  private static final int MESSAGES_MAX = 1000;

  private final BusinessNumber number;
  private final Map<String, BusinessNumber> numbers;
  private final HmacKey key;
  private final ChangeReader reader;

  /**
   * For one account.
   *
   * @param numbers all accounts, by their phone_number_id
   */
  WhatsAppIntake(BusinessNumber number, Map<String, BusinessNumber> numbers) {
    this.number = number;
    this.numbers = numbers;
    this.key = HmacKey.ofText(HmacKey.Algorithm.SHA256, number.account().appSecret());
    this.reader = new ChangeReader(this::accountOf);
  }

  private Optional<WhatsAppAccount> accountOf(String phoneNumberId) {
    return Optional.ofNullable(numbers.get(phoneNumberId))
        .map(BusinessNumber::account)
        .filter(number.account()::isOfSameApp);
  }

  WebhookVerdict receive(WebhookRequest request) {
    if (request.method().equals("GET")) {
      return handshake(request);
    }
    String signature = request.onlyHeader("x-hub-signature-256");
    boolean isSigned =
        signature.startsWith(PREFIX)
            && key.matchesHex(signature.substring(PREFIX.length()), request.body());
    if (!isSigned) {
      return new WebhookVerdict.Refused("its signature is missing or wrong");
    }
    if (!mediaType(request).equals("application/json")) {
      return new WebhookVerdict.Unparsable("the content type is not JSON");
    }
    try {
      return delivery(request);
    } catch (IllegalArgumentException _) {
      return new WebhookVerdict.Unparsable("the body is not what its content type says");
    }
  }

  private WebhookVerdict handshake(WebhookRequest request) {
    boolean isBelieved =
        only(request, "hub.mode").equals("subscribe")
            && ConstantTime.equal(
                number.account().verifyToken(), only(request, "hub.verify_token"));
    if (!isBelieved) {
      return new WebhookVerdict.Refused("the verify token is missing, wrong or there twice");
    }
    String challenge = only(request, "hub.challenge");
    return CHALLENGE.matcher(challenge).matches()
        ? new WebhookVerdict.Answer(200, "text/plain", challenge)
        : new WebhookVerdict.Unparsable("the challenge is none");
  }

  private static String only(WebhookRequest request, String name) {
    List<String> values = request.query().getOrDefault(name, List.of());
    return values.size() == 1 ? values.getFirst() : "";
  }

  private static String mediaType(WebhookRequest request) {
    String type = request.onlyHeader("content-type");
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  private WebhookVerdict delivery(WebhookRequest request) {
    Map<String, Object> body = JsonText.object(new String(request.body(), StandardCharsets.UTF_8));
    if (!JsonText.text(body, "object").equals("whatsapp_business_account")) {
      return new WebhookVerdict.Messages(List.of()); // else Meta would send it for a week
    }
    List<WhatsAppEvent> events = reader.read(body, request.receivedAt());
    if (events.size() > MESSAGES_MAX) {
      return new WebhookVerdict.Unparsable("it has more than 1,000 messages");
    }
    return verdict(events);
  }

  /**
   * What cannot be taken costs itself alone: Meta would send all of the delivery again for a week.
   * A click has a delivery to itself. If it came with others, each is taken by itself, and Meta is
   * told to send the delivery again until all are: a click that was answered is not decided again,
   * and a message is known by its id.
   */
  private WebhookVerdict verdict(List<WhatsAppEvent> events) {
    List<InboundMessage> said = new ArrayList<>();
    List<DropReason> dropped = new ArrayList<>();
    List<Click> clicks = new ArrayList<>();
    for (WhatsAppEvent event : events) {
      switch (event) {
        case WhatsAppEvent.Said(InboundMessage message) -> said.add(message);
        case WhatsAppEvent.Dropped(DropReason reason) -> dropped.add(reason);
        case WhatsAppEvent.Unfit(DropReason reason, String _) -> dropped.add(reason);
        case WhatsAppEvent.Pressed(Click click) -> {
          if (!numberOf(click.account()).isAnswered(click)) {
            clicks.add(click);
          }
        }
        case WhatsAppEvent.Posted _,
            WhatsAppEvent.Undelivered _,
            WhatsAppEvent.Ignored _ -> {} // below, once
      }
    }
    if (clicks.isEmpty()) {
      note(events);
      return new WebhookVerdict.Messages(said, dropped);
    }
    boolean isAlone = clicks.size() == 1 && said.isEmpty() && dropped.isEmpty();
    if (isAlone) {
      note(events);
    }
    return new WebhookVerdict.Clicked(
        clicks.getFirst(),
        isAlone ? Optional.empty() : Optional.of(new WebhookVerdict.Answer(503, "text/plain", "")));
  }

  private void note(List<WhatsAppEvent> events) {
    for (WhatsAppEvent event : events) {
      switch (event) {
        case WhatsAppEvent.Said(InboundMessage message) ->
            numberOf(message.account()).heard(message.thread(), message.dedupeKey());
        case WhatsAppEvent.Posted post -> numberOf(post.account()).note(post);
        case WhatsAppEvent.Undelivered failed -> numberOf(failed.post().account()).note(failed);
        case WhatsAppEvent.Pressed _,
            WhatsAppEvent.Dropped _,
            WhatsAppEvent.Unfit _,
            WhatsAppEvent.Ignored _ -> {} // nothing is to be remembered of it
      }
    }
    number.leftOut(
        events.stream()
            .filter(WhatsAppEvent.Unfit.class::isInstance)
            .map(event -> ((WhatsAppEvent.Unfit) event).why())
            .toList());
  }

  private BusinessNumber numberOf(String account) {
    return numbers.values().stream()
        .filter(each -> each.name().equals(account))
        .findFirst()
        .orElse(number);
  }
}
