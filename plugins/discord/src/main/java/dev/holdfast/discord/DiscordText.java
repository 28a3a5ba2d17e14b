package dev.holdfast.discord;

import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text as Discord marks it up, and as a model reads it. */
final class DiscordText {
  /** People, roles, emoji and commands. */
  private static final Pattern REFERENCE =
      Pattern.compile(
          "<(?:@!?([0-9]{1,20})|@&([0-9]{1,20})|a?:(\\w{1,100}):[0-9]{1,20}|/([^:<>]{1,100}):[0-9]{1,20})>");

  private DiscordText() {}

  /**
   * Without the mentions of the bot: what is left is what it is told. Linear in the text.
   *
   * @param role of the bot in that server; may be empty
   */
  static String without(String text, String user, String role) {
    String roles = role.isEmpty() ? "" : "|<@&" + Pattern.quote(role) + ">";
    Pattern own = Pattern.compile("<@!?" + Pattern.quote(user) + ">" + roles);
    Matcher names = own.matcher(text);
    StringBuilder left = new StringBuilder(text.length());
    int from = 0;
    boolean isFirst = false;
    while (names.find()) {
      left.append(text, from, names.start());
      while (!left.isEmpty() && isBlank(left.charAt(left.length() - 1))) {
        left.setLength(left.length() - 1);
      }
      isFirst |= left.isEmpty();
      left.append(' ');
      from = names.end();
      while (from < text.length() && isBlank(text.charAt(from))) {
        from++;
      }
    }
    String stripped = left.append(text, from, text.length()).toString().strip();
    return isFirst && (stripped.startsWith(",") || stripped.startsWith(":"))
        ? stripped.substring(1).strip()
        : stripped;
  }

  private static boolean isBlank(char unit) {
    return unit == ' ' || unit == '\t';
  }

  /**
   * With names in place of ids. Linear in the text.
   *
   * @param names of people by their ids
   */
  static String plain(String text, Map<String, String> names) {
    UnaryOperator<String> name = id -> names.getOrDefault(id, id);
    return REFERENCE
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(reference(found, name)));
  }

  private static String reference(MatchResult found, UnaryOperator<String> names) {
    if (found.group(1) != null) {
      return "@" + names.apply(found.group(1));
    }
    if (found.group(2) != null) {
      return "@" + found.group(2);
    }
    return found.group(3) != null ? ":" + found.group(3) + ":" : "/" + found.group(4);
  }
}
