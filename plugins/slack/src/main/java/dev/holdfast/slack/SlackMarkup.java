package dev.holdfast.slack;

import dev.holdfast.api.Choice;
import dev.holdfast.api.Markup;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.channels.Splitter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a post says, as Slack takes it. */
final class SlackMarkup {
  /**
   * In UTF-16 units of Markdown. Slack recommends 4,000 characters and takes no longer edit; what
   * is escaped makes a text longer.
   */
  static final int UNITS_MAX = 3500;

  /** A section of a message with buttons takes 3,000 characters. */
  private static final int SECTION_MAX = 2900;

  private static final int SECTIONS_MAX = 40;

  private SlackMarkup() {}

  /** Puts a text and its buttons into the parameters of a call. */
  static void into(
      Map<String, Object> parameters,
      String markdown,
      List<Choice> choices,
      PluginContext context) {
    String text = context.rendered(markdown, Markup.SLACK_MRKDWN);
    parameters.put("text", text);
    if (!choices.isEmpty()) {
      parameters.put("blocks", blocks(text, choices));
    }
  }

  /** As above, for an edit, which keeps the blocks that it does not name, and with them buttons. */
  static void intoEdit(
      Map<String, Object> parameters,
      String markdown,
      List<Choice> choices,
      PluginContext context) {
    parameters.put("blocks", List.of());
    into(parameters, markdown, choices, context);
  }

  private static List<Object> blocks(String text, List<Choice> choices) {
    List<Object> blocks = new ArrayList<>();
    Splitter.split(text, SECTION_MAX).stream()
        .filter(part -> !part.isBlank())
        .limit(SECTIONS_MAX)
        .forEach(
            part ->
                blocks.add(
                    Map.of("type", "section", "text", Map.of("type", "mrkdwn", "text", part))));
    List<Object> buttons = new ArrayList<>();
    for (Choice choice : choices) {
      buttons.add(
          Map.of(
              "type",
              "button",
              "action_id",
              SlackEventReader.CHOICE + "_" + buttons.size(),
              "text",
              Map.of("type", "plain_text", "text", choice.label()),
              "value",
              choice.token(),
              "style",
              choice.isCareful() ? "primary" : "danger"));
    }
    blocks.add(Map.of("type", "actions", "elements", buttons));
    return blocks;
  }

  /** A draft that is a message: what the answer says so far, and below it what is being done. */
  static String draft(String markdown, String activity, PluginContext context) {
    String text = markdown.isBlank() ? "" : context.rendered(markdown, Markup.SLACK_MRKDWN);
    String line =
        activity.isBlank()
            ? ""
            : "_" + escaped(activity).replace('_', ' ').replace('\n', ' ').strip() + "_";
    return text.isEmpty() || line.isEmpty() ? text + line : text + "\n\n" + line;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /**
   * Markdown for a stream, which Slack renders itself: nothing in it calls people. A longer text
   * whose beginning is this one gives a result whose beginning is this result.
   */
  static String streamed(String markdown) {
    StringBuilder safe = new StringBuilder(markdown.length());
    for (int at = 0; at < markdown.length(); at++) {
      char unit = markdown.charAt(at);
      boolean calls = at > 0 && markdown.charAt(at - 1) == '<' && "!@#".indexOf(unit) >= 0;
      safe.append(calls ? "\u200B" : "").append(unit);
    }
    return safe.toString();
  }
}
