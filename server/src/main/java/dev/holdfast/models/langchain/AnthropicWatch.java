package dev.holdfast.models.langchain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolCall;
import dev.holdfast.models.http.StreamWatch;
import dev.holdfast.models.http.UsageFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Puts the blocks together again as they were, when some of them have to go back unchanged. */
final class AnthropicWatch extends StreamWatch {
  /** What our own messages can express; a block of any other type makes the whole answer opaque. */
  private static final Set<String> PLAIN = Set.of("text", "tool_use");

  private final Map<Integer, ObjectNode> blocks = new TreeMap<>();
  private final Map<Integer, StringBuilder> inputs = new TreeMap<>();
  private final Map<String, Long> counts = new TreeMap<>();

  @Override
  public void see(String name, JsonNode data) {
    switch (name) {
      case "message_start" -> count(data.path("message").path("usage"));
      case "content_block_start" -> start(data);
      case "content_block_delta" -> add(data.path("index").asInt(), data.path("delta"));
      case "message_delta" -> {
        count(data.path("usage"));
        stopsFor(reason(data.path("delta").path("stop_reason").asText("")));
      }
      case "message_stop" -> {
        finish(stop());
        end();
      }
      default -> {
        // ping, content_block_stop, and what is yet to be invented
      }
    }
  }

  /** Its pings are events, and its first event comes before any thought. */
  @Override
  public boolean isWork(String name, JsonNode data) {
    return name.startsWith("content_block");
  }

  @Override
  public List<JsonNode> events(JsonNode whole) {
    return UnstreamedAnswers.anthropic(whole);
  }

  @Override
  public String opaque() {
    if (blocks.values().stream().allMatch(block -> PLAIN.contains(block.path("type").asText()))) {
      return "";
    }
    ArrayNode all = LangchainMessages.JSON.createArrayNode();
    blocks.forEach(
        (index, block) -> {
          StringBuilder input = inputs.get(index);
          if (input != null) {
            block.set("input", LangchainMessages.object(input.toString()));
          }
          boolean isEmptyText =
              block.path("type").asText().equals("text") && block.path("text").asText().isBlank();
          if (!isEmptyText) {
            all.add(block);
          }
        });
    return text(all);
  }

  private static String text(ArrayNode all) {
    try {
      return LangchainMessages.JSON.writeValueAsString(all);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of JSON cannot be written", e);
    }
  }

  @Override
  public List<ToolCall> calls() {
    List<ToolCall> calls = new ArrayList<>();
    blocks.forEach(
        (index, block) -> {
          if (isCall(block)) {
            StringBuilder input = inputs.get(index);
            String arguments = input == null ? block.path("input").toString() : input.toString();
            calls.add(
                new ToolCall(
                    block.path("id").asText(""), block.path("name").asText(""), arguments));
          }
        });
    return calls;
  }

  @Override
  public String readable(JsonNode data, String text) {
    ObjectNode block = blocks.get(data.path("index").asInt(-1));
    boolean isOfBlock = data.path("type").asText("").startsWith("content_block");
    return isOfBlock && block != null && isCall(block) ? "" : text;
  }

  private static boolean isCall(ObjectNode block) {
    return block.path("type").asText("").equals("tool_use");
  }

  private void start(JsonNode data) {
    if (data.path("content_block") instanceof ObjectNode block) {
      blocks.put(data.path("index").asInt(), block.deepCopy());
    }
  }

  private void add(int index, JsonNode delta) {
    ObjectNode block = blocks.get(index);
    if (block == null) {
      return;
    }
    switch (delta.path("type").asText()) {
      case "text_delta" -> append(block, "text", delta);
      case "thinking_delta" -> append(block, "thinking", delta);
      case "signature_delta" -> append(block, "signature", delta);
      case "input_json_delta" ->
          inputs
              .computeIfAbsent(index, _ -> new StringBuilder())
              .append(delta.path("partial_json").asText(""));
      default -> {
        // citations and the like: nothing that has to go back
      }
    }
  }

  private static void append(ObjectNode block, String field, JsonNode delta) {
    block.put(field, block.path(field).asText("") + delta.path(field).asText(""));
  }

  /** The counts are totals so far; a later event may leave some of them out. */
  private void count(JsonNode usage) {
    for (String name :
        Set.of(
            "input_tokens",
            "output_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens")) {
      if (usage.path(name).isNumber()) {
        counts.put(name, UsageFacts.count(usage.path(name)));
      }
    }
    used(
        new TokenUsage(
            counts.getOrDefault("input_tokens", 0L),
            counts.getOrDefault("output_tokens", 0L),
            counts.getOrDefault("cache_read_input_tokens", 0L),
            counts.getOrDefault("cache_creation_input_tokens", 0L)));
  }

  private static StopReason reason(String stopReason) {
    return switch (stopReason) {
      case "max_tokens", "model_context_window_exceeded" -> StopReason.LENGTH;
      case "tool_use" -> StopReason.TOOL_CALLS;
      case "refusal" -> StopReason.REFUSED;
      default -> StopReason.END;
    };
  }
}
