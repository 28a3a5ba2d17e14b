package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolCall;
import dev.holdfast.models.http.StreamWatch;
import dev.holdfast.models.http.UsageFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts the pieces of calls together, in whatever order a server sends them. */
final class OpenAiWatch extends StreamWatch {
  private static final int NO_INDEX = -1;

  /** A call of which more may come. */
  private static final class Open {
    private String id = "";
    private String tool = "";
    private final StringBuilder arguments = new StringBuilder();
  }

  private final List<Open> calls = new ArrayList<>();
  private final Map<Integer, Open> newest = new HashMap<>();

  @Override
  public void see(String name, JsonNode data) {
    JsonNode usage = data.path("usage");
    if (usage.isObject()) {
      long cached = UsageFacts.count(usage.path("prompt_tokens_details").path("cached_tokens"));
      long written =
          UsageFacts.count(usage.path("prompt_tokens_details").path("cache_write_tokens"));
      long prompt = UsageFacts.count(usage.path("prompt_tokens"));
      used(
          new TokenUsage(
              Math.max(0, prompt - cached - written),
              UsageFacts.count(usage.path("completion_tokens")),
              cached,
              written));
    }
    JsonNode delta = data.path("choices").path(0).path("delta");
    delta.path("tool_calls").forEach(this::hear);
    String reason = data.path("choices").path(0).path("finish_reason").asText("");
    if (!reason.isEmpty() && !reason.equals("null")) {
      finish(reason(reason));
    }
  }

  /** Not so an event with a role or a count alone. */
  @Override
  public boolean isWork(String name, JsonNode data) {
    JsonNode delta = data.path("choices").path(0).path("delta");
    return delta.properties().stream()
        .filter(part -> !part.getKey().equals("role"))
        .map(Map.Entry::getValue)
        .anyMatch(part -> part.isContainerNode() ? !part.isEmpty() : !part.asText("").isEmpty());
  }

  @Override
  public List<JsonNode> events(JsonNode whole) {
    return UnstreamedAnswers.openAi(whole);
  }

  private static StopReason reason(String finishReason) {
    return switch (finishReason) {
      case "length" -> StopReason.LENGTH;
      case "tool_calls", "function_call" -> StopReason.TOOL_CALLS;
      case "content_filter" -> StopReason.REFUSED;
      default -> StopReason.END;
    };
  }

  @Override
  public List<ToolCall> calls() {
    return calls.stream()
        .map(call -> new ToolCall(call.id, call.tool, call.arguments.toString()))
        .toList();
  }

  @Override
  public String readable(JsonNode data, String text) {
    if (!data.path("choices").path(0).path("delta").has("tool_calls")) {
      return text;
    }
    ObjectNode words = data.deepCopy();
    ((ObjectNode) words.path("choices").path(0).path("delta")).remove("tool_calls");
    return words.toString();
  }

  private void hear(JsonNode piece) {
    int index = piece.path("index").asInt(NO_INDEX);
    String id = piece.path("id").asText("");
    Open call = newest.get(index);
    boolean isAnother = call != null && !id.isEmpty() && !call.id.isEmpty() && !id.equals(call.id);
    if (call == null || isAnother) {
      // Some servers number every call 0, or none: then another id begins another call.
      call = new Open();
      newest.put(index, call);
      calls.add(call);
    }
    JsonNode function = piece.path("function");
    if (!id.isEmpty()) {
      call.id = id;
    }
    if (call.tool.isEmpty()) {
      call.tool = function.path("name").asText("");
    }
    call.arguments.append(function.path("arguments").asText(""));
  }
}
