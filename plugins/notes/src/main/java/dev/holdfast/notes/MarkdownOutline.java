package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionRefusedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The headings, links and tags of a Markdown text. What stands in code is none.
 *
 * <p>Source: CommonMark 0.31.2, for fences and headings; Obsidian Help, "Internal links" and
 * "Tags".
 */
final class MarkdownOutline {
  private static final Pattern FENCE = Pattern.compile(" {0,3}(`{3,}|~{3,}).*");
  private static final Pattern HEADING =
      Pattern.compile(" {0,3}(#{1,6})(?:[ \\t]+(.*?))?(?:[ \\t]+#+)?[ \\t]*");
  private static final Pattern UNDERLINE = Pattern.compile(" {0,3}(=+|-+)[ \\t]*");
  private static final Pattern NO_PARAGRAPH =
      Pattern.compile("\\s*|\\s*[>|].*|\\s*([-*+]|\\d+[.)])\\s.*");
  private static final Pattern CODE = Pattern.compile("(`+)[^`].*?\\1");
  private static final Pattern WIKI_LINK =
      Pattern.compile(
          "(!?)\\[\\[([^\\[\\]|#^\\n]*)([#^][^\\[\\]|\\n]*)?(?:\\\\?\\|([^\\[\\]\\n]*))?]]");
  private static final Pattern LINK =
      Pattern.compile("(!?)\\[([^\\[\\]\\n]*)]\\(<?([^()<>\\s:]+\\.md)(#[^()\\s>]*)?>?\\)");
  private static final Pattern TAG =
      Pattern.compile("(?<![^\\s])#([\\p{L}\\p{N}_/-]*[\\p{L}_/-][\\p{L}\\p{N}_/-]*)");
  private static final int HEADINGS_SHOWN_MAX = 30;

  private final List<String> lines;
  private final boolean[] inCode;
  private final List<Heading> headings = new ArrayList<>();

  /**
   * A heading.
   *
   * @param line from 0, where it begins
   * @param end the line after it
   */
  private record Heading(int line, int end, int level, String text) {
    String shown() {
      return "#".repeat(level) + " " + text;
    }
  }

  /**
   * What stands under a heading.
   *
   * @param before the text up to it, the heading too
   * @param after the text from the next heading of its level on
   */
  record Cut(String before, String content, String after) {}

  MarkdownOutline(String text) {
    lines = new ArrayList<>(List.of(text.split("(?<=\n)")));
    lines.removeIf(String::isEmpty);
    inCode = new boolean[lines.size()];
    read();
  }

  private void read() {
    String fence = "";
    for (int at = 0; at < lines.size(); at++) {
      String line = lines.get(at).stripTrailing();
      Matcher marks = FENCE.matcher(line);
      boolean isFence = marks.matches();
      inCode[at] = isFence || !fence.isEmpty();
      if (!fence.isEmpty()) {
        if (isFence && marks.group(1).startsWith(fence) && line.strip().equals(marks.group(1))) {
          fence = "";
        }
      } else if (isFence) {
        fence = marks.group(1);
      } else {
        addHeading(at, line);
      }
    }
  }

  private void addHeading(int at, String line) {
    Matcher marks = HEADING.matcher(line);
    if (marks.matches()) {
      String text = marks.group(2) == null ? "" : marks.group(2).strip();
      headings.add(new Heading(at, at + 1, marks.group(1).length(), text));
      return;
    }
    boolean isUnder =
        at > 0
            && !inCode[at - 1]
            && UNDERLINE.matcher(line).matches()
            && !NO_PARAGRAPH.matcher(lines.get(at - 1).stripTrailing()).matches()
            && (headings.isEmpty() || headings.getLast().end() < at);
    if (isUnder) {
      int level = line.strip().startsWith("=") ? 1 : 2;
      headings.add(new Heading(at - 1, at + 1, level, lines.get(at - 1).strip()));
    }
  }

  /**
   * Cuts the text at a heading, with its subsections.
   *
   * @param name its text, with number signs before it for its level or without
   */
  Cut section(String name) throws ActionRefusedException {
    String wanted = name.strip();
    List<Integer> found = new ArrayList<>();
    for (int each = 0; each < headings.size(); each++) {
      Heading heading = headings.get(each);
      if (heading.shown().equals(wanted) || heading.text().equals(wanted)) {
        found.add(each);
      }
    }
    if (found.size() != 1) {
      List<String> all = headings.stream().limit(HEADINGS_SHOWN_MAX).map(Heading::shown).toList();
      throw new ActionRefusedException(
          found.isEmpty() ? ActionRefusedException.NOT_FOUND : ActionRefusedException.CONFLICT,
          "%s of this note is named %s; there are %s."
              .formatted(found.isEmpty() ? "No heading" : "More than one heading", wanted, all));
    }
    int index = found.getFirst();
    Heading heading = headings.get(index);
    int end =
        headings.stream()
            .skip(index + 1L)
            .filter(next -> next.level() <= heading.level())
            .mapToInt(Heading::line)
            .findFirst()
            .orElse(lines.size());
    return new Cut(joined(0, heading.end()), joined(heading.end(), end), joined(end, lines.size()));
  }

  private String joined(int from, int to) {
    return String.join("", lines.subList(from, to));
  }

  /** Links to other notes, each once, in their order. */
  List<Map<String, Object>> links() {
    Set<Map<String, Object>> links = new LinkedHashSet<>();
    for (int at = 0; at < lines.size(); at++) {
      if (!inCode[at]) {
        addLinks(CODE.matcher(lines.get(at)).replaceAll(" "), links);
      }
    }
    return List.copyOf(links);
  }

  private static void addLinks(String line, Set<Map<String, Object>> links) {
    WIKI_LINK
        .matcher(line)
        .results()
        .forEach(
            found ->
                links.add(
                    link(
                        withoutEscape(found.group(2)),
                        found.group(3),
                        found.group(4),
                        !found.group(1).isEmpty())));
    LINK.matcher(line)
        .results()
        .forEach(
            found ->
                links.add(
                    link(
                        found.group(3).replace("%20", " "),
                        found.group(4),
                        found.group(2),
                        !found.group(1).isEmpty())));
  }

  /** In a table the bar of an alias stands behind a backslash. */
  private static String withoutEscape(String target) {
    return target.endsWith("\\") ? target.substring(0, target.length() - 1) : target;
  }

  private static Map<String, Object> link(
      String target, @Nullable String place, @Nullable String alias, boolean isEmbedded) {
    Map<String, Object> link = new LinkedHashMap<>();
    link.put("to", target.strip());
    if (place != null) {
      link.put("place", place.strip());
    }
    if (alias != null && !alias.isBlank()) {
      link.put("alias", alias.strip());
    }
    if (isEmbedded) {
      link.put("embedded", true);
    }
    return link;
  }

  /** Tags in the text, without their number signs, each once, in their order. */
  Set<String> tags() {
    Set<String> tags = new LinkedHashSet<>();
    for (int at = 0; at < lines.size(); at++) {
      if (!inCode[at]) {
        TAG.matcher(CODE.matcher(lines.get(at)).replaceAll(" "))
            .results()
            .forEach(found -> tags.add(found.group(1)));
      }
    }
    return tags;
  }
}
