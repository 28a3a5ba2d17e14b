package dev.holdfast.whatsapp;

import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.channels.SignedTime;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads a delivery of Meta: entries with changes with messages and statuses. Thread-safe. */
final class ChangeReader {
  /** Of phones that also show what is sent from the WhatsApp Business app. */
  private static final List<String> ECHOES = List.of("smb_message_echoes", "message_echoes");

  /** As long as the server knows a message that it has got, and as Meta sends it again. */
  private static final Duration OLD = Duration.ofDays(7);

  /** Clocks differ. */
  private static final Duration EARLY = Duration.ofMinutes(5);

  private static final int ID_UNITS_MAX = 2000;
  private static final int TEXT_UNITS_MAX = 1_048_576;
  private static final int FACT_UNITS_MAX = 8192;
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,11}");
  private static final Pattern PHONE = Pattern.compile("[0-9]{1,20}");
  private static final Pattern USER_ID = Pattern.compile("[A-Za-z]{2}\\.[A-Za-z0-9._-]{1,200}");
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_-]{22}");

  private final Function<String, Optional<WhatsAppAccount>> accounts;

  /** User ids by account and phone number, of deliveries that named both. */
  private final RecentMap<String> userIds = new RecentMap<>();

  /**
   * @param accounts whose messages may come in this delivery, by their phone_number_id
   */
  ChangeReader(Function<String, Optional<WhatsAppAccount>> accounts) {
    this.accounts = accounts;
  }

  /** In the order in which they stand there. */
  List<WhatsAppEvent> read(Map<String, Object> delivery, Instant now) {
    List<WhatsAppEvent> events = new ArrayList<>();
    for (Map<String, Object> entry : JsonText.maps(delivery, "entry")) {
      for (Map<String, Object> change : JsonText.maps(entry, "changes")) {
        read(JsonText.text(change, "field"), JsonText.map(change, "value"), now, events);
      }
    }
    return events;
  }

  private void read(
      String field, Map<String, Object> value, Instant now, List<WhatsAppEvent> events) {
    if (ECHOES.contains(field)) {
      JsonText.maps(value, "message_echoes")
          .forEach(_ -> events.add(new WhatsAppEvent.Dropped(DropReason.OWN_ECHO)));
      return;
    }
    if (!field.equals("messages")) {
      events.add(new WhatsAppEvent.Ignored());
      return;
    }
    String number = JsonText.id(JsonText.map(value, "metadata"), "phone_number_id");
    Optional<WhatsAppAccount> account = accounts.apply(number);
    for (Map<String, Object> message : JsonText.maps(value, "messages")) {
      events.add(
          account.isEmpty()
              ? new WhatsAppEvent.Dropped(DropReason.NOT_ALLOWED)
              : message(message, value, account.get(), now));
    }
    if (account.isPresent()) {
      String name = account.get().name();
      JsonText.maps(value, "statuses").forEach(status -> events.add(status(status, name)));
    }
  }

  private static WhatsAppEvent status(Map<String, Object> status, String account) {
    WhatsAppEvent.Posted post =
        new WhatsAppEvent.Posted(
            account,
            JsonText.text(status, "biz_opaque_callback_data"),
            JsonText.text(status, "id"));
    List<Map<String, Object>> errors = JsonText.maps(status, "errors");
    if (!JsonText.text(status, "status").equals("failed")) {
      return post;
    }
    Failure failure =
        GraphError.of(errors.isEmpty() ? Map.of() : errors.getFirst())
            .map(GraphError::failure)
            .orElseGet(
                () ->
                    Failure.of(
                        FailureCode.INVALID_REQUEST,
                        "WhatsApp could not deliver it, and does not say why"));
    return new WhatsAppEvent.Undelivered(post, failure);
  }

  private WhatsAppEvent message(
      Map<String, Object> message,
      Map<String, Object> value,
      WhatsAppAccount account,
      Instant now) {
    String id = JsonText.text(message, "id");
    String seconds = JsonText.id(message, "timestamp");
    if (!SECONDS.matcher(seconds).matches()) {
      return unreadable("its time is missing or none");
    }
    if (!isTimely(seconds, now)) {
      return new WhatsAppEvent.Unfit(
          DropReason.UNTIMELY, "its time is more than 7 days ago, or in the future");
    }
    if (!isId(id)) {
      return unreadable("its id is missing, too long or has control characters");
    }
    Sender sender = known(account, Sender.of(message, JsonText.maps(value, "contacts")));
    if (sender.isNumber(ownNumber(value))) {
      return new WhatsAppEvent.Dropped(DropReason.OWN_ECHO);
    }
    if (sender.id().isEmpty()) {
      return new WhatsAppEvent.Dropped(DropReason.NOT_ALLOWED);
    }
    if (message.containsKey("group_id")) {
      return new WhatsAppEvent.Dropped(DropReason.NOT_ADDRESSED);
    }
    String token = MessageContent.choice(message);
    if (TOKEN.matcher(token).matches()) {
      return new WhatsAppEvent.Pressed(
          new Click(account.name(), sender.id(), sender.allowedAs(account), token, id));
    }
    MessageContent content = MessageContent.of(message);
    if (content.text().isBlank() && content.files().isEmpty()) {
      return new WhatsAppEvent.Dropped(DropReason.EMPTY);
    }
    if (isTooLong(content)) {
      return unreadable("its text, or what is said of its file, is too long");
    }
    return new WhatsAppEvent.Said(
        new InboundMessage(
            account.name(),
            sender.id(),
            sender.allowedAs(account),
            content.text(),
            content.files(),
            id,
            Origin.direct(sender.name()).at(1000 * Long.parseLong(seconds))));
  }

  private static WhatsAppEvent unreadable(String why) {
    return new WhatsAppEvent.Unfit(DropReason.UNREADABLE, why);
  }

  /** As the server takes one: it would refuse all of a delivery for one that is not. */
  private static boolean isId(String id) {
    return !id.isBlank()
        && id.length() <= ID_UNITS_MAX
        && !id.equals(".")
        && !id.equals("..")
        && id.chars().noneMatch(Character::isISOControl);
  }

  private static boolean isTooLong(MessageContent content) {
    return content.text().length() > TEXT_UNITS_MAX
        || content.files().stream()
            .flatMap(file -> Stream.of(file.name(), file.mediaType(), file.url()))
            .anyMatch(fact -> fact.length() > FACT_UNITS_MAX);
  }

  /** A person who is named by the phone number alone keeps the conversation of the user id. */
  private Sender known(WhatsAppAccount account, Sender sender) {
    if (sender.phone().isEmpty()) {
      return sender;
    }
    String key = account.name() + ":" + sender.phone();
    if (sender.userId().isEmpty()) {
      return new Sender(userIds.find(key).orElse(""), sender.phone(), sender.name());
    }
    userIds.put(key, sender.userId());
    return sender;
  }

  /** The signature has no time in it, so that of the message says whether it is a replay. */
  private static boolean isTimely(String seconds, Instant now) {
    return SignedTime.isWithin(seconds, now, OLD)
        && Duration.between(now, Instant.ofEpochSecond(Long.parseLong(seconds))).compareTo(EARLY)
            <= 0;
  }

  private static String ownNumber(Map<String, Object> value) {
    return JsonText.id(JsonText.map(value, "metadata"), "display_phone_number")
        .replaceAll("[^0-9]", "");
  }

  /**
   * Who has written.
   *
   * @param userId Meta's id of the person towards this business; empty when it names none
   * @param phone digits; empty when the person shows none
   * @param name as the person wishes; never judged
   */
  private record Sender(String userId, String phone, String name) {
    static Sender of(Map<String, Object> message, List<Map<String, Object>> contacts) {
      String phone = matching(PHONE, JsonText.id(message, "from"));
      String user = matching(USER_ID, JsonText.text(message, "from_user_id"));
      Map<String, Object> contact = Map.of();
      for (Map<String, Object> each : contacts) {
        boolean isOfPhone = !phone.isEmpty() && JsonText.id(each, "wa_id").equals(phone);
        boolean isOfUser = !user.isEmpty() && JsonText.text(each, "user_id").equals(user);
        contact = isOfPhone || isOfUser ? each : contact;
      }
      String name = JsonText.text(JsonText.map(contact, "profile"), "name");
      return new Sender(
          user.isEmpty() ? matching(USER_ID, JsonText.text(contact, "user_id")) : user,
          phone,
          name.replaceAll("\\p{Cntrl}", " ").strip());
    }

    private static String matching(Pattern form, String id) {
      return form.matcher(id).matches() ? id : "";
    }

    /** Stable: the phone number is one's own only where Meta names nothing else. */
    String id() {
      return userId.isEmpty() ? phone : userId;
    }

    /** The phone number if the operator allows the person by it. */
    String allowedAs(WhatsAppAccount account) {
      boolean isByPhone = !phone.isEmpty() && account.access().users().contains(phone);
      return isByPhone ? phone : id();
    }

    boolean isNumber(String own) {
      return !own.isEmpty() && phone.equals(own);
    }
  }
}
