package dev.holdfast.telegram;

import dev.holdfast.kit.JsonText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a message says without the bot's name in it, and whom it is meant for.
 *
 * @param isAddressed whether it mentions the bot, replies to it or is a command
 * @param isForOther whether it is a command for another bot
 */
record AddressedText(String text, boolean isAddressed, boolean isForOther) {
  /** A name or the rest of a command that is left out. */
  private record Cut(int from, int to) {}

  static AddressedText of(Map<String, Object> message, BotIdentity me, boolean inGroup) {
    boolean hasText = message.containsKey("text");
    String text = JsonText.text(message, hasText ? "text" : "caption");
    if (text.isEmpty()) {
      text = JsonText.text(JsonText.map(message, "sticker"), "emoji");
    }
    String name = "@" + me.userName().toLowerCase(Locale.ROOT);
    boolean addressed = !inGroup || isReplyTo(message, me.id());
    List<Cut> cuts = new ArrayList<>();
    for (Map<String, Object> entity :
        JsonText.maps(message, hasText ? "entities" : "caption_entities")) {
      long from = JsonText.whole(entity, "offset", -1);
      long to = from + JsonText.whole(entity, "length", -1);
      if (from < 0 || to <= from || to > text.length()) {
        continue;
      }
      String part = text.substring((int) from, (int) to).toLowerCase(Locale.ROOT);
      switch (JsonText.text(entity, "type")) {
        case "mention" -> {
          if (part.equals(name)) {
            addressed = true;
            cuts.add(new Cut((int) from, (int) to));
          }
        }
        case "text_mention" -> {
          if (JsonText.id(JsonText.map(entity, "user"), "id").equals(me.id())) {
            addressed = true;
            cuts.add(new Cut((int) from, (int) to));
          }
        }
        case "bot_command" -> {
          int at = part.indexOf('@');
          boolean isOurs = at < 0 || part.substring(at).equals(name);
          if (from == 0 && !isOurs) {
            return new AddressedText(text, false, true);
          }
          addressed |= isOurs && (from == 0 || at >= 0);
          if (isOurs && at >= 0) {
            cuts.add(new Cut((int) from + at, (int) to));
          }
        }
        default -> {} // says nothing of whom it is meant for
      }
    }
    return new AddressedText(opened(without(text, cuts)), addressed, false);
  }

  private static boolean isReplyTo(Map<String, Object> message, String bot) {
    Map<String, Object> original = JsonText.map(message, "reply_to_message");
    return JsonText.id(JsonText.map(original, "from"), "id").equals(bot);
  }

  /** What Telegram's clients send when somebody opens a bot asks what it can do. */
  private static String opened(String text) {
    return text.equals("/start") ? "/help" : text;
  }

  private static String without(String text, List<Cut> cuts) {
    StringBuilder left = new StringBuilder(text);
    int end = text.length();
    for (Cut cut : cuts.stream().sorted(Comparator.comparingInt(Cut::from).reversed()).toList()) {
      if (cut.to() > end) {
        continue; // they overlap
      }
      boolean isWord = cut.from() == 0 || text.charAt(cut.from() - 1) == ' ';
      boolean hasSpace = cut.to() < text.length() && text.charAt(cut.to()) == ' ';
      left.delete(cut.from(), isWord && hasSpace && cut.to() < end ? cut.to() + 1 : cut.to());
      end = cut.from();
    }
    return left.toString().strip();
  }
}
