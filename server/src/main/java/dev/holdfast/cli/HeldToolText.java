package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What an operator is to approve: all of a new tool, and what is not as before of a changed one.
 */
final class HeldToolText {
  /** The names of the parts, and of their fields. */
  private static final List<Map.Entry<String, String>> PARTS =
      List.of(
          Map.entry("description", "description"),
          Map.entry("schema", "schema"),
          Map.entry("result schema", "result_schema"),
          Map.entry("annotations", "annotations"));

  private final JsonNode tool;
  private final boolean isNew;
  private final List<String> lines = new ArrayList<>();

  private HeldToolText(JsonNode tool) {
    this.tool = tool;
    this.isNew = CliJson.raw(tool, "change").equals("new");
  }

  static List<String> lines(JsonNode tool) {
    HeldToolText text = new HeldToolText(tool);
    text.add();
    return text.lines;
  }

  private void add() {
    List<String> changed = CliJson.items(tool, "parts").stream().map(JsonNode::asText).toList();
    String what = isNew ? "new" : "changed: " + String.join(", ", changed);
    lines.add(
        VisibleText.exact("waits for approval: " + CliJson.raw(tool, "name") + " (" + what + ")"));
    boolean isKept = isNew || tool.path("before").isObject();
    if (!isKept) {
      lines.add("  what was approved is too long to be stored; this is the current version:");
    }
    for (Map.Entry<String, String> part : PARTS) {
      if (!isKept || isNew || changed.contains(part.getKey())) {
        add(part.getKey(), part.getValue());
      }
    }
  }

  private void add(String part, String field) {
    List<String> before = split(CliJson.raw(tool.path("before"), field));
    List<String> now = split(CliJson.raw(tool.path("now"), field));
    if (before.isEmpty() && now.isEmpty()) {
      return;
    }
    lines.add("  " + part + ":");
    LineDifference.of(before, now).forEach(line -> lines.add("    " + line));
  }

  /** A document of JSON member by member; what else it is as it is. */
  private static List<String> split(String text) {
    return text.isEmpty()
        ? List.of()
        : Stream.of(whole(text).split("\n", -1)).map(VisibleText::exact).toList();
  }

  private static String whole(String text) {
    try {
      JsonNode json = CliJson.parse(text);
      return json.isContainerNode() ? CliJson.pretty(json) : text;
    } catch (JsonProcessingException _) {
      return text;
    }
  }
}
