package dev.holdfast.whatsapp;

import dev.holdfast.api.Attachment;
import dev.holdfast.kit.JsonText;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a message says, in words where it is no text.
 *
 * @param text may be empty
 */
record MessageContent(String text, List<Attachment> files) {
  /** With these on a message people say that what is being done should stop. */
  private static final Set<String> STOPS = Set.of("❌", "🛑");

  private static final Set<String> MEDIA = Set.of("image", "video", "audio", "document", "sticker");
  private static final int LISTED_MAX = 50;

  static MessageContent of(Map<String, Object> message) {
    String type = JsonText.text(message, "type");
    Map<String, Object> content = JsonText.map(message, type);
    if (MEDIA.contains(type)) {
      return new MessageContent(
          JsonText.text(content, "caption"), MediaDownloads.attachments(type, content));
    }
    String text =
        switch (type) {
          case "text" -> JsonText.text(content, "body");
          case "button" -> JsonText.text(content, "text");
          case "interactive" -> chosen(content);
          case "location" -> location(content);
          case "contacts" -> contacts(JsonText.maps(message, type));
          case "order" -> order(content);
          case "reaction" -> STOPS.contains(JsonText.text(content, "emoji")) ? "/stop" : "";
          default -> "";
        };
    return new MessageContent(text, List.of());
  }

  /** The id of what was chosen of a message with buttons or a list; empty when it is neither. */
  static String choice(Map<String, Object> message) {
    return JsonText.text(reply(JsonText.map(message, "interactive")), "id");
  }

  private static Map<String, Object> reply(Map<String, Object> interactive) {
    return JsonText.map(interactive, JsonText.text(interactive, "type"));
  }

  private static String chosen(Map<String, Object> interactive) {
    return JsonText.text(reply(interactive), "title");
  }

  private static String location(Map<String, Object> location) {
    String at = "%s, %s".formatted(number(location, "latitude"), number(location, "longitude"));
    return bracketed(
        "Location: ",
        Stream.of(JsonText.text(location, "name"), JsonText.text(location, "address"), at));
  }

  /** Meta writes some numbers as texts. */
  private static String number(Map<String, Object> object, String key) {
    double number = JsonText.number(object, key, Double.NaN);
    return Double.isNaN(number)
        ? JsonText.text(object, key)
        : String.format(Locale.ROOT, "%s", object.get(key));
  }

  private static String contacts(List<Map<String, Object>> contacts) {
    return contacts.stream()
        .limit(LISTED_MAX)
        .map(
            contact ->
                bracketed(
                    "Contact: ",
                    Stream.concat(
                        Stream.of(
                            JsonText.text(JsonText.map(contact, "name"), "formatted_name"),
                            JsonText.text(JsonText.map(contact, "org"), "company")),
                        Stream.concat(
                            each(contact, "phones", "phone"), each(contact, "emails", "email")))))
        .collect(Collectors.joining("\n"));
  }

  private static Stream<String> each(Map<String, Object> contact, String list, String key) {
    return JsonText.maps(contact, list).stream()
        .limit(LISTED_MAX)
        .map(entry -> JsonText.text(entry, key));
  }

  private static String order(Map<String, Object> order) {
    Stream<String> items =
        JsonText.maps(order, "product_items").stream()
            .limit(LISTED_MAX)
            .map(
                item ->
                    "%s x %s at %s %s"
                        .formatted(
                            number(item, "quantity"),
                            JsonText.text(item, "product_retailer_id"),
                            number(item, "item_price"),
                            JsonText.text(item, "currency")));
    return (bracketed("Order: ", items) + "\n" + JsonText.text(order, "text")).strip();
  }

  private static String bracketed(String what, Stream<String> parts) {
    return parts.filter(part -> !part.isBlank()).collect(Collectors.joining(", ", "[" + what, "]"));
  }
}
