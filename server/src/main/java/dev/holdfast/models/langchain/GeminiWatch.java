package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolCall;
import dev.holdfast.models.http.StreamWatch;
import dev.holdfast.models.http.UsageFacts;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the parts as they came when one of them carries a signature. A stream ends with a reason
 * and no more.
 */
final class GeminiWatch extends StreamWatch {
  private final ArrayNode parts = LangchainMessages.JSON.createArrayNode();
  private boolean signed;

  @Override
  public void see(String name, JsonNode data) throws CallFailedException {
    JsonNode usage = data.path("usageMetadata");
    if (usage.isObject()) {
      used(usage(usage));
    }
    if (data.path("promptFeedback").has("blockReason")) {
      finish(StopReason.REFUSED);
    }
    JsonNode candidate = data.path("candidates").path(0);
    candidate.path("content").path("parts").forEach(this::keep);
    String reason = candidate.path("finishReason").asText("");
    if (!reason.isEmpty() && !reason.equals("FINISH_REASON_UNSPECIFIED")) {
      finish(reason(reason));
    }
  }

  @Override
  public List<JsonNode> events(JsonNode whole) {
    return UnstreamedAnswers.gemini(whole);
  }

  @Override
  public String opaque() {
    return signed ? parts.toString() : "";
  }

  @Override
  public List<ToolCall> calls() {
    List<ToolCall> calls = new ArrayList<>();
    for (JsonNode part : parts) {
      if (part.path("functionCall") instanceof ObjectNode call) {
        String arguments = call.has("args") ? call.path("args").toString() : "";
        calls.add(
            new ToolCall(call.path("id").asText(""), call.path("name").asText(""), arguments));
      }
    }
    return calls;
  }

  /** The content alone: reasons to finish are added from time to time. */
  @Override
  public String readable(JsonNode data, String text) {
    ObjectNode event = LangchainMessages.JSON.createObjectNode();
    ObjectNode candidate = event.putArray("candidates").addObject();
    if (data.path("candidates").path(0).path("content") instanceof ObjectNode content) {
      ObjectNode words = content.deepCopy();
      ArrayNode kept = words.putArray("parts");
      content
          .path("parts")
          .valueStream()
          .filter(part -> !part.has("functionCall"))
          .forEach(kept::add);
      candidate.set("content", words);
    }
    return event.toString();
  }

  private void keep(JsonNode part) {
    signed |= part.has("thoughtSignature");
    boolean isPlain = part.size() == 1 && part.has("text");
    if (isPlain
        && !parts.isEmpty()
        && parts.get(parts.size() - 1) instanceof ObjectNode last
        && last.size() == 1
        && last.has("text")) {
      last.put("text", last.path("text").asText() + part.path("text").asText());
    } else {
      parts.add(part.deepCopy());
    }
  }

  /** The prompt's count includes what came from the cache; thoughts are paid as output. */
  private static TokenUsage usage(JsonNode usage) {
    long cached = UsageFacts.count(usage.path("cachedContentTokenCount"));
    long input =
        UsageFacts.count(usage.path("promptTokenCount"))
            + UsageFacts.count(usage.path("toolUsePromptTokenCount"));
    long output =
        UsageFacts.count(usage.path("candidatesTokenCount"))
            + UsageFacts.count(usage.path("thoughtsTokenCount"));
    return new TokenUsage(Math.max(0, input - cached), output, cached, 0);
  }

  private static StopReason reason(String finishReason) throws CallFailedException {
    return switch (finishReason) {
      case "MAX_TOKENS" -> StopReason.LENGTH;
      case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII" ->
          StopReason.REFUSED;
      case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS" ->
          throw new CallFailedException(
              Failure.of(FailureCode.BACKEND_FAILURE, "gemini ended with " + finishReason));
      default -> StopReason.END;
    };
  }
}
