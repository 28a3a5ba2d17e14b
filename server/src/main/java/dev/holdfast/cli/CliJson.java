package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.StreamSupport;

/** Reads what the server says, forgivingly: an absent field is an empty text or 0. */
final class CliJson {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private CliJson() {}

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static JsonNode of(Object value) {
    return MAPPER.valueToTree(value);
  }

  static JsonNode parse(String text) throws JsonProcessingException {
    JsonNode node = MAPPER.readTree(text);
    return node == null ? MAPPER.missingNode() : node;
  }

  static String pretty(JsonNode node) {
    try {
      return VisibleText.json(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree that cannot be written", e);
    }
  }

  /** The field as a text that a terminal can show, on one line. */
  static String text(JsonNode node, String field) {
    return VisibleText.line(raw(node, field));
  }

  /** As {@link #text}, with the lines that it has. */
  static String lines(JsonNode node, String field) {
    return VisibleText.lines(raw(node, field), "");
  }

  /** As it was said: not for a terminal. */
  static String raw(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isNull() || value.isMissingNode() ? "" : value.asText(value.toString());
  }

  static List<JsonNode> items(JsonNode node, String field) {
    return StreamSupport.stream(node.path(field).spliterator(), false).toList();
  }
}
