package dev.holdfast.discord;

import dev.holdfast.api.Choice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Markdown as Discord shows it, which is most of it: tables, images and small headings it does not
 * know. Time is linear in the text.
 */
final class DiscordMarkup {
  /** What Discord takes. */
  static final int CONTENT_MAX = 2000;

  /** With what is left for what a table grows by. */
  static final int UNITS_MAX = 1900;

  /** No previews of links. */
  static final long NO_EMBEDS = 1L << 2;

  private static final int ROW_MAX = 5;
  private static final int BUTTONS_MAX = 25;
  private static final int CELLS_MAX = 50;
  private static final Pattern DELIMITER =
      Pattern.compile(" {0,3}\\|? *:?-+:? *(?:\\| *:?-+:? *)*\\|? *");
  private static final Pattern IMAGE = Pattern.compile("!(?=\\[[^\\[\\]\n]{0,500}]\\()");
  private static final Pattern SMALL_HEADING = Pattern.compile(" {0,3}#{4,6} +(\\S.*)");
  private static final Pattern FENCE = Pattern.compile(" {0,3}(`{3,}|~{3,}).*");
  private static final Pattern MARKS = Pattern.compile("[\\\\*_~`|>\\[\\]]");

  private DiscordMarkup() {}

  /** A message that calls nobody and unfolds no links; to be added to. */
  static Map<String, Object> message(String markdown, List<Choice> choices) {
    Map<String, Object> message = edit(markdown, choices);
    message.put("flags", NO_EMBEDS);
    return message;
  }

  /** The same for a message that stands there: what it does not have any more is taken away. */
  static Map<String, Object> edit(String markdown, List<Choice> choices) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("content", content(markdown));
    message.put("allowed_mentions", Map.of("parse", List.of()));
    message.put("components", components(choices));
    return message;
  }

  private static List<Object> components(List<Choice> choices) {
    List<Object> rows = new ArrayList<>();
    List<Object> buttons = new ArrayList<>();
    for (Choice choice : choices.subList(0, Math.min(choices.size(), BUTTONS_MAX))) {
      if (buttons.size() == ROW_MAX) {
        rows.add(Map.of("type", 1, "components", buttons));
        buttons = new ArrayList<>();
      }
      buttons.add(
          Map.of(
              "type",
              2,
              "style",
              choice.isCareful() ? 3 : 4,
              "label",
              choice.label(),
              "custom_id",
              choice.token()));
    }
    if (!buttons.isEmpty()) {
      rows.add(Map.of("type", 1, "components", buttons));
    }
    return rows;
  }

  /** What stands in a message; a text that would grow too long stays as it is. */
  static String content(String markdown) {
    String shown = shown(markdown);
    return shown.length() <= CONTENT_MAX ? shown : markdown;
  }

  private static String shown(String markdown) {
    String[] lines = markdown.split("\n", -1);
    List<String> out = new ArrayList<>();
    String fence = "";
    for (int at = 0; at < lines.length; at++) {
      String line = lines[at];
      boolean isFence = FENCE.matcher(line).matches();
      if (!fence.isEmpty()) {
        out.add(line);
        fence = isFence && line.strip().equals(fence) ? "" : fence;
      } else if (isFence) {
        out.add(line);
        fence = marker(line.strip());
      } else if (isTable(lines, at)) {
        int end = at + 2;
        while (end < lines.length && lines[end].contains("|") && !lines[end].isBlank()) {
          end++;
        }
        out.addAll(table(lines, at, end));
        at = end - 1;
      } else {
        String heading = SMALL_HEADING.matcher(line).replaceFirst("**$1**");
        out.add(IMAGE.matcher(heading).replaceAll(""));
      }
    }
    return String.join("\n", out);
  }

  private static String marker(String line) {
    int end = 0;
    while (end < line.length() && line.charAt(end) == line.charAt(0)) {
      end++;
    }
    return line.substring(0, end);
  }

  private static boolean isTable(String[] lines, int at) {
    return lines[at].contains("|")
        && at + 1 < lines.length
        && lines[at + 1].contains("|")
        && lines[at + 1].contains("-")
        && DELIMITER.matcher(lines[at + 1]).matches();
  }

  /** Its columns aligned, in a block of code. */
  private static List<String> table(String[] lines, int from, int to) {
    List<List<String>> rows = new ArrayList<>();
    int[] widths = new int[CELLS_MAX];
    for (int at = from; at < to; at++) {
      if (at != from + 1) {
        List<String> cells = cells(lines[at]);
        for (int cell = 0; cell < cells.size(); cell++) {
          widths[cell] = Math.max(widths[cell], cells.get(cell).length());
        }
        rows.add(cells);
      }
    }
    List<String> out = new ArrayList<>();
    out.add("```");
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int cell = 0; cell < row.size(); cell++) {
        String text = row.get(cell);
        boolean isLast = cell == row.size() - 1;
        line.append(text).append(isLast ? "" : " ".repeat(widths[cell] - text.length() + 2));
      }
      out.add(line.toString().replace("```", "'''").stripTrailing());
    }
    out.add("```");
    return out;
  }

  private static List<String> cells(String line) {
    String row = line.strip();
    row = row.startsWith("|") ? row.substring(1) : row;
    row = row.endsWith("|") && !row.endsWith("\\|") ? row.substring(0, row.length() - 1) : row;
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    for (int at = 0; at < row.length() && cells.size() < CELLS_MAX - 1; at++) {
      char unit = row.charAt(at);
      if (unit == '\\' && at + 1 < row.length() && row.charAt(at + 1) == '|') {
        cell.append('|');
        at++;
      } else if (unit == '|') {
        cells.add(cell.toString().strip());
        cell.setLength(0);
      } else {
        cell.append(unit);
      }
    }
    cells.add(cell.toString().strip());
    return cells;
  }

  /** A draft: what the answer says so far, and below it in small what is being done. */
  static String draft(String markdown, String activity) {
    String text = closed(content(markdown));
    String done = MARKS.matcher(activity.replace('\n', ' ').strip()).replaceAll("\\\\$0");
    String line = done.isEmpty() ? "" : "-# " + done;
    String whole = text.isBlank() ? line : line.isEmpty() ? text : text + "\n" + line;
    return whole.length() <= CONTENT_MAX ? whole : text.length() <= CONTENT_MAX ? text : markdown;
  }

  /** A block of code that is being written would take in what stands below it. */
  private static String closed(String text) {
    String fence = "";
    for (String line : text.split("\n", -1)) {
      if (FENCE.matcher(line).matches()) {
        String marker = marker(line.strip());
        fence = fence.isEmpty() ? marker : line.strip().equals(fence) ? "" : fence;
      }
    }
    return fence.isEmpty() ? text : text + (text.endsWith("\n") ? "" : "\n") + fence;
  }
}
