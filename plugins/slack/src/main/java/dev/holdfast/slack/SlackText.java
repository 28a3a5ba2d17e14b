package dev.holdfast.slack;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text as Slack marks it up, and as a model reads it. */
final class SlackText {
  /** What a person writes as less-than is escaped: these are Slack's own. */
  private static final Pattern REFERENCE = Pattern.compile("<([^<>]*)>");

  private SlackText() {}

  /** Whether it names the user. */
  static boolean mentions(String text, String user) {
    return text.contains("<@" + user + ">") || text.contains("<@" + user + "|");
  }

  /** Without the names of the user: what is left is what the user is told. Linear in the text. */
  static String without(String text, String user) {
    Matcher names = Pattern.compile("<@" + Pattern.quote(user) + "(?:\\|[^<>]*)?>").matcher(text);
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
   * Without markup. Linear in the text.
   *
   * @param names of people by their ids; an id stays when the name is not known
   */
  static String plain(String text, UnaryOperator<String> names) {
    Matcher references = REFERENCE.matcher(text);
    String read =
        references.replaceAll(found -> Matcher.quoteReplacement(reference(found.group(1), names)));
    return read.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
  }

  private static String reference(String inner, UnaryOperator<String> names) {
    int bar = inner.indexOf('|');
    String target = bar < 0 ? inner : inner.substring(0, bar);
    String label = bar < 0 ? "" : inner.substring(bar + 1);
    if (target.startsWith("@")) {
      return "@" + (label.isEmpty() ? names.apply(target.substring(1)) : label);
    }
    if (target.startsWith("#")) {
      return "#" + (label.isEmpty() ? target.substring(1) : label);
    }
    if (target.startsWith("!")) {
      int caret = target.indexOf('^');
      String name = caret < 0 ? target.substring(1) : target.substring(1, caret);
      return label.isEmpty() ? "@" + name : label;
    }
    String url = target.startsWith("mailto:") ? target.substring("mailto:".length()) : target;
    return label.isEmpty() || url.endsWith(label) ? url : label + " (" + url + ")";
  }
}
