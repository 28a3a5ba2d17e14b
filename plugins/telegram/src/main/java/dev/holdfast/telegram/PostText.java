package dev.holdfast.telegram;

import dev.holdfast.api.Markup;
import dev.holdfast.api.PluginContext;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The text of a post as Telegram takes it. Its limit counts what people see, and the markup has one
 * of its own; a text that rendering made too long is sent as it was written, which never is.
 *
 * @param markdown as it was written
 */
record PostText(String text, boolean isHtml, String markdown) {
  /** Telegram's limit, in UTF-16 units of what people see. */
  static final int UNITS_MAX = 4096;

  /** Telegram takes 32,768 bytes with all markup. */
  private static final int HTML_BYTES_MAX = 32_000;

  static PostText of(String markdown, PluginContext context) {
    String html = context.rendered(markdown, Markup.TELEGRAM_HTML);
    return fits(html) ? new PostText(html, true, markdown) : plain(markdown);
  }

  /** A text that is shown as it is. */
  static PostText plain(String text) {
    boolean isCut = text.length() > UNITS_MAX;
    int end = isCut ? UNITS_MAX : text.length();
    boolean inPair = isCut && Character.isHighSurrogate(text.charAt(end - 1));
    String shown = text.substring(0, inPair ? end - 1 : end);
    return new PostText(shown, false, shown);
  }

  /** A draft: what the answer says so far, and below it what is being done. */
  static PostText ofDraft(String markdown, String activity, PluginContext context) {
    PostText text = of(markdown, context);
    if (activity.isBlank()) {
      return text;
    }
    String line = "<i>" + escaped(activity) + "</i>";
    if (markdown.isBlank()) {
      return new PostText(line, true, activity);
    }
    String whole = String.join("\n\n", text.text, line);
    return text.isHtml && fits(whole) ? new PostText(whole, true, markdown) : text;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static boolean fits(String html) {
    String seen = seen(html);
    return !seen.isBlank()
        && seen.length() <= UNITS_MAX
        && html.getBytes(StandardCharsets.UTF_8).length <= HTML_BYTES_MAX;
  }

  /** Without tags, and each entity as one unit: what Telegram counts. */
  private static String seen(String html) {
    StringBuilder seen = new StringBuilder(html.length());
    for (int at = 0; at < html.length(); at++) {
      char unit = html.charAt(at);
      int end = unit == '<' ? html.indexOf('>', at) : unit == '&' ? html.indexOf(';', at) : -1;
      if (unit != '<' || end < 0) {
        seen.append(unit);
      }
      at = end < 0 ? at : end;
    }
    return seen.toString();
  }

  PostText asWritten() {
    return plain(markdown);
  }

  boolean isBlank() {
    return text.isBlank();
  }

  /** Puts it into the parameters of a call. */
  void into(Map<String, Object> parameters) {
    parameters.put("text", text);
    if (isHtml) {
      parameters.put("parse_mode", "HTML");
    }
  }

  /** Whether Telegram takes the same without markup, going by what it said to this. */
  boolean isRefusedAsHtml(BotAnswer answer) {
    return isHtml
        && answer.code() == 400
        && (answer.says("parse")
            || answer.says("too long")
            || answer.says("too_long")
            || answer.says("empty")
            || answer.says("entit"));
  }
}
