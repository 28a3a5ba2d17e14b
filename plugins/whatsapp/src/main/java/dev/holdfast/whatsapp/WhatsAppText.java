package dev.holdfast.whatsapp;

import dev.holdfast.api.Choice;
import dev.holdfast.api.Markup;
import dev.holdfast.api.PluginContext;
import java.util.List;
import java.util.Map;

/** What a message says, as WhatsApp takes it. */
final class WhatsAppText {
  /** WhatsApp's limit, in characters; a UTF-16 unit is one at most. */
  static final int UNITS_MAX = 4096;

  /** The same for a message with buttons. */
  static final int BUTTONS_UNITS_MAX = 1024;

  private static final int TITLE_UNITS_MAX = 20;
  private static final int BUTTONS_MAX = 3;

  private WhatsAppText() {}

  /** With WhatsApp's marks; as it was written if that makes it too long, which it never is. */
  static String rendered(String markdown, PluginContext context) {
    String text = context.rendered(markdown, Markup.WHATSAPP);
    return text.isBlank() || text.length() > UNITS_MAX ? markdown : text;
  }

  /** Puts a text into a message. */
  static void into(Map<String, Object> message, String text) {
    message.put("type", "text");
    message.put("text", Map.of("preview_url", false, "body", text));
  }

  /** Puts a text of at most {@value #BUTTONS_UNITS_MAX} units and buttons into a message. */
  static void into(Map<String, Object> message, String text, List<Choice> choices) {
    List<Map<String, Object>> buttons =
        choices.stream().limit(BUTTONS_MAX).map(WhatsAppText::button).toList();
    message.put("type", "interactive");
    message.put(
        "interactive",
        Map.of(
            "type", "button", "body", Map.of("text", text), "action", Map.of("buttons", buttons)));
  }

  private static Map<String, Object> button(Choice choice) {
    String label = choice.label();
    String title = label.substring(0, Math.min(label.length(), TITLE_UNITS_MAX));
    return Map.of("type", "reply", "reply", Map.of("id", choice.token(), "title", title));
  }
}
