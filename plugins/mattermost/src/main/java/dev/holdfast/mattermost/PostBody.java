package dev.holdfast.mattermost;

import dev.holdfast.api.Choice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a post of the bot holds. Mattermost shows Markdown as it is. */
final class PostBody {
  /** Mattermost counts code points, which are never more than the units of UTF-16. */
  static final int UNITS_MAX = 16_383;

  /** The property of a post that holds the id of the reply; people do not see it. */
  static final String REPLY = "holdfast_reply";

  /** Mattermost takes underscores around a name for Markdown: {@code @all_} calls everybody. */
  private static final Pattern EVERYBODY =
      Pattern.compile("@(?=(?:all|channel|here)(?![a-z0-9]))", Pattern.CASE_INSENSITIVE);

  /** What Mattermost takes for the ends of lines. */
  private static final Pattern LINE_START = Pattern.compile("(?<=\n)|(?<=\r)(?!\n)");

  private static final Pattern LINE_END = Pattern.compile("[\r\n]+$");
  private static final Pattern OPENING = Pattern.compile("(`{3,}|~{3,})[^`~\r\n]*[\r\n]+");

  /** Also in a list or a quotation; behind words it is none. */
  private static final Pattern FENCE =
      Pattern.compile("[\\s\\p{Z}\\p{C}>*+\\-0-9.)]*+(?:```|~~~).*", Pattern.DOTALL);

  private static final Pattern BLANKS = Pattern.compile("^[\\s\\p{Z}\\p{C}]+");

  private PostBody() {}

  /**
   * Without calling everybody in the channel: that is no model's to decide. Blocks of code stay as
   * they are: Mattermost calls nobody from there, and what a person approves is to be what runs.
   * From a fence on that might not mean what it seems to, nothing counts as code. Time is linear in
   * the text.
   */
  static String text(String markdown) {
    String[] lines = LINE_START.split(markdown, -1);
    StringBuilder posted = new StringBuilder(markdown.length());
    int at = 0;
    while (at < lines.length) {
      Matcher opening = OPENING.matcher(lines[at]);
      int closing = opening.matches() ? closing(lines, at, opening.group(1)) : at;
      if (closing < 0 || (closing == at && FENCE.matcher(lines[at]).matches())) {
        break;
      }
      posted.append(callingNobody(lines[at]));
      for (int code = at + 1; code <= closing; code++) {
        posted.append(lines[code]);
      }
      at = closing + 1;
    }
    for (int rest = at; rest < lines.length; rest++) {
      posted.append(callingNobody(lines[rest]));
    }
    return posted.toString();
  }

  /** The same without a look at what is code: for words that are put into a line. */
  static String callingNobody(String text) {
    return EVERYBODY.matcher(text).replaceAll("＠");
  }

  /** The line that surely closes the block; negative when none does. */
  private static int closing(String[] lines, int opening, String fence) {
    for (int at = opening + 1; at < lines.length; at++) {
      String line = LINE_END.matcher(lines[at]).replaceFirst("");
      if (BLANKS.matcher(line).replaceFirst("").startsWith(fence)) {
        boolean isClosing = line.chars().allMatch(character -> character == fence.charAt(0));
        return isClosing ? at : -1; // indented, or followed by something: each reads it otherwise
      }
    }
    return -1;
  }

  /** Whether it calls everybody in the channel. */
  static boolean callsEverybody(String text) {
    return EVERYBODY.matcher(text).find();
  }

  /**
   * The properties of a reply.
   *
   * @param at where it is posted, as its buttons tell it when they come back
   */
  static Map<String, Object> props(
      String replyId, List<Choice> choices, MattermostPlace at, ClickSignature clicks) {
    Map<String, Object> props = new LinkedHashMap<>();
    props.put(REPLY, replyId);
    if (!choices.isEmpty()) {
      props.put("attachments", List.of(Map.of("actions", buttons(choices, at, clicks))));
    }
    return props;
  }

  private static List<Object> buttons(
      List<Choice> choices, MattermostPlace at, ClickSignature clicks) {
    List<Object> buttons = new ArrayList<>();
    for (Choice choice : choices) {
      buttons.add(
          Map.of(
              "id",
              "choice" + buttons.size(), // letters and digits, as Mattermost wants them
              "type",
              "button",
              "name",
              choice.label(),
              "style",
              choice.isCareful() ? "primary" : "danger",
              "integration",
              Map.of("url", clicks.url(), "context", clicks.context(at, choice.token()))));
    }
    return buttons;
  }

  /** The properties of an edit, which replaces all that there are. */
  static Map<String, Object> editedProps(Map<String, Object> props, MattermostIdentity me) {
    Map<String, Object> all = new LinkedHashMap<>(props);
    if (me.isBot()) {
      all.put("from_bot", "true"); // Mattermost has set it with the post
    }
    return all;
  }
}
