package dev.holdfast.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.ContextEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The entries of a context as messages and back. */
final class Entries {
  static final String USER = "user";
  static final String ASSISTANT = "assistant";
  static final String TOOL_RESULT = "tool_result";

  private static final ObjectMapper JSON = new ObjectMapper();

  private Entries() {}

  static ContextEntry user(String eventId, Instant at, String sender, String text) {
    ObjectNode json = head(USER, eventId, eventId, at);
    json.put("sender", sender).put("text", text);
    return new ContextEntry(USER, eventId, eventId, at, write(json));
  }

  static ContextEntry assistant(String id, String eventId, Instant at, Message.Assistant message) {
    ObjectNode json = head(ASSISTANT, id, eventId, at);
    json.put("text", message.text()).put("model", message.model());
    if (!message.opaque().isEmpty()) {
      json.put("opaque", message.opaque());
    }
    if (!message.toolCalls().isEmpty()) {
      var calls = json.putArray("calls");
      for (ToolCall call : message.toolCalls()) {
        calls
            .addObject()
            .put("id", call.id())
            .put("tool", call.tool())
            .put("arguments", call.arguments());
      }
    }
    return new ContextEntry(ASSISTANT, id, eventId, at, write(json));
  }

  static ContextEntry toolResult(String eventId, Instant at, Message.ToolResult result) {
    ObjectNode json = head(TOOL_RESULT, result.callId(), eventId, at);
    json.put("tool", result.tool()).put("text", result.text()).put("error", result.isError());
    return new ContextEntry(TOOL_RESULT, result.callId(), eventId, at, write(json));
  }

  /** Empty for an entry that a model need not see, also one of a type that a later version wrote. */
  static Optional<Message> message(ContextEntry entry) {
    JsonNode json = read(entry.json());
    return switch (entry.type()) {
      case USER -> Optional.of(new Message.User(json.path("text").asText()));
      case ASSISTANT ->
          Optional.of(
              new Message.Assistant(
                  json.path("text").asText(),
                  calls(json.path("calls")),
                  json.path("opaque").asText(""),
                  json.path("model").asText("")));
      case TOOL_RESULT ->
          Optional.of(
              new Message.ToolResult(
                  entry.id(),
                  json.path("tool").asText(),
                  json.path("text").asText(),
                  json.path("error").asBoolean()));
      default -> Optional.empty();
    };
  }

  /** Whether the entry ends a turn: a model's word without calls. */
  static boolean isAnswer(ContextEntry entry) {
    return entry.type().equals(ASSISTANT) && read(entry.json()).path("calls").isEmpty();
  }

  private static List<ToolCall> calls(JsonNode calls) {
    List<ToolCall> list = new ArrayList<>();
    calls.forEach(
        call ->
            list.add(
                new ToolCall(
                    call.path("id").asText(),
                    call.path("tool").asText(),
                    call.path("arguments").asText())));
    return list;
  }

  static ObjectNode object() {
    return JSON.createObjectNode();
  }

  static String write(JsonNode json) {
    return json.toString();
  }

  private static ObjectNode head(String type, String id, String eventId, Instant at) {
    return JSON.createObjectNode()
        .put("type", type)
        .put("id", id)
        .put("event", eventId)
        .put("at", at.toString());
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the store handed out an entry that is not JSON", e);
    }
  }
}
