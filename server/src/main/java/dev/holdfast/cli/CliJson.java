package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.StreamSupport;

/** Reads what the server says, forgivingly: an absent field is an empty text or 0. */
final class CliJson {
  private static final JsonFactory FORMAT = new JsonFactory();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** It takes longer to make than most commands take to run, and most only read. */
  private static final class Lazy {
    static final ObjectMapper MAPPER = new ObjectMapper();
  }

  private CliJson() {}

  static ObjectNode object() {
    return NODES.objectNode();
  }

  static JsonNode of(Object value) {
    return Lazy.MAPPER.valueToTree(value);
  }

  /** The first value of the text; a missing node when there is none. */
  static JsonNode parse(String text) throws JsonProcessingException {
    try (JsonParser in = FORMAT.createParser(text)) {
      return in.nextToken() == null ? NODES.missingNode() : value(in);
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory that cannot be read", e);
    }
  }

  private static JsonNode value(JsonParser in) throws IOException {
    return switch (in.currentToken()) {
      case START_OBJECT -> {
        ObjectNode object = NODES.objectNode();
        while (in.nextToken() != JsonToken.END_OBJECT) {
          String name = in.currentName();
          JsonToken _ = in.nextToken();
          JsonNode _ = object.replace(name, value(in));
        }
        yield object;
      }
      case START_ARRAY -> {
        ArrayNode array = NODES.arrayNode();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          array.add(value(in));
        }
        yield array;
      }
      case VALUE_NUMBER_INT -> whole(in);
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(in.getDoubleValue());
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      case VALUE_NULL -> NODES.nullNode();
      default -> NODES.textNode(in.getText());
    };
  }

  private static JsonNode whole(JsonParser in) throws IOException {
    return switch (in.getNumberType()) {
      case INT -> NODES.numberNode(in.getIntValue());
      case LONG -> NODES.numberNode(in.getLongValue());
      default -> NODES.numberNode(in.getBigIntegerValue());
    };
  }

  static String pretty(JsonNode node) {
    try {
      return VisibleText.json(
          Lazy.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node));
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
