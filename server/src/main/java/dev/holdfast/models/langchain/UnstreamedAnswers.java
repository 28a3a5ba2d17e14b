package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers of servers that do not stream although they are asked to, as the events that a stream
 * would have brought. What is no answer makes no events.
 */
final class UnstreamedAnswers {
  private UnstreamedAnswers() {}

  /** Of a {@code message}. */
  static List<JsonNode> anthropic(JsonNode whole) {
    if (!whole.path("type").asText().equals("message") || !whole.path("content").isArray()) {
      return List.of();
    }
    List<JsonNode> events = new ArrayList<>();
    ObjectNode message = whole.deepCopy();
    message.putArray("content");
    message.putNull("stop_reason");
    events.add(event("message_start").set("message", message));
    int index = 0;
    for (JsonNode block : whole.path("content")) {
      if (block instanceof ObjectNode) {
        addBlock(events, index++, block);
      }
    }
    ObjectNode end = event("message_delta");
    end.putObject("delta").set("stop_reason", whole.path("stop_reason"));
    end.set("usage", whole.path("usage"));
    events.add(end);
    events.add(event("message_stop"));
    return events;
  }

  private static void addBlock(List<JsonNode> events, int index, JsonNode block) {
    ObjectNode begun = block.deepCopy();
    List<ObjectNode> deltas = new ArrayList<>();
    switch (block.path("type").asText()) {
      case "text" -> {
        begun.put("text", "");
        deltas.add(event("text_delta").put("text", block.path("text").asText("")));
      }
      case "thinking" -> {
        begun.put("thinking", "").put("signature", "");
        deltas.add(event("thinking_delta").put("thinking", block.path("thinking").asText("")));
        deltas.add(event("signature_delta").put("signature", block.path("signature").asText("")));
      }
      case "tool_use" -> {
        begun.putObject("input");
        String input = block.path("input").toString();
        deltas.add(event("input_json_delta").put("partial_json", input));
      }
      default -> {
        // A block that comes whole in a stream too.
      }
    }
    ObjectNode start = event("content_block_start").put("index", index);
    events.add(start.set("content_block", begun));
    for (ObjectNode delta : deltas) {
      events.add(event("content_block_delta").put("index", index).set("delta", delta));
    }
    events.add(event("content_block_stop").put("index", index));
  }

  private static ObjectNode event(String type) {
    return LangchainMessages.JSON.createObjectNode().put("type", type);
  }

  /** Of a {@code chat.completion}. */
  static List<JsonNode> openAi(JsonNode whole) {
    JsonNode choice = whole.path("choices").path(0);
    if (!(choice.path("message") instanceof ObjectNode message)) {
      return List.of();
    }
    ObjectNode delta = message.deepCopy();
    int index = 0;
    for (JsonNode call : delta.path("tool_calls")) {
      if (call instanceof ObjectNode object) {
        object.put("index", index++);
      }
    }
    ObjectNode said = chunk(whole, delta);
    ObjectNode last = chunk(whole, LangchainMessages.JSON.createObjectNode());
    ((ObjectNode) last.path("choices").path(0)).set("finish_reason", choice.path("finish_reason"));
    ObjectNode usage = chunk(whole, LangchainMessages.JSON.createObjectNode());
    usage.putArray("choices");
    usage.set("usage", whole.path("usage"));
    return whole.path("usage").isObject() ? List.of(said, last, usage) : List.of(said, last);
  }

  private static ObjectNode chunk(JsonNode whole, ObjectNode delta) {
    ObjectNode chunk = whole.deepCopy();
    chunk.remove("usage");
    chunk.put("object", "chat.completion.chunk");
    ArrayNode choices = chunk.putArray("choices");
    choices.addObject().put("index", 0).putNull("finish_reason").set("delta", delta);
    return chunk;
  }

  /** A response has the shape of an event of its stream; several come in an array. */
  static List<JsonNode> gemini(JsonNode whole) {
    if (whole.isArray()) {
      return whole.valueStream().toList();
    }
    return whole.has("candidates") || whole.has("promptFeedback") ? List.of(whole) : List.of();
  }
}
