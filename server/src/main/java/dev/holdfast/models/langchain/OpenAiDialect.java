package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.models.http.StreamWatch;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;

/**
 * OpenAI's chat completions, which many other servers speak too. The base address holds the
 * version.
 */
final class OpenAiDialect implements Dialect {
  private final Account account;
  private final String baseUrl;

  OpenAiDialect(Account account) {
    this.account = account;
    this.baseUrl = account.base("https://api.openai.com/v1");
  }

  @Override
  public StreamingChatModel model(ModelRequest request, HttpClientBuilder wire) {
    return OpenAiStreamingChatModel.builder()
        .httpClientBuilder(wire)
        .baseUrl(baseUrl)
        .apiKey(account.secret().isEmpty() ? "none" : account.secret())
        .modelName(request.model())
        .maxCompletionTokens(request.outputTokensMax())
        .build();
  }

  @Override
  public StreamWatch watch() {
    return new Watch();
  }

  @Override
  public void edit(ObjectNode body, ModelRequest request) {
    putSchemas(body, request);
  }

  /**
   * The tools of the shape {@code {type, function: {name, description, parameters}}}, in their
   * order.
   */
  static void putSchemas(ObjectNode body, ModelRequest request) {
    JsonNode tools = body.path("tools");
    for (int i = 0; i < Math.min(tools.size(), request.tools().size()); i++) {
      if (tools.get(i).path("function") instanceof ObjectNode function) {
        function.set("parameters", Messages.schema(request.tools().get(i)));
      }
    }
  }

  private static final class Watch extends StreamWatch {
    @Override
    public void see(String name, JsonNode data) {
      JsonNode usage = data.path("usage");
      if (usage.isObject()) {
        long cached = usage.path("prompt_tokens_details").path("cached_tokens").asLong(0);
        long written = usage.path("prompt_tokens_details").path("cache_write_tokens").asLong(0);
        long prompt = usage.path("prompt_tokens").asLong(0);
        used(
            new TokenUsage(
                Math.max(0, prompt - cached - written),
                usage.path("completion_tokens").asLong(0),
                cached,
                written));
      }
      String reason = data.path("choices").path(0).path("finish_reason").asText("");
      if (!reason.isEmpty() && !reason.equals("null")) {
        finish(reason(reason));
      }
    }

    private static StopReason reason(String finishReason) {
      return switch (finishReason) {
        case "length" -> StopReason.LENGTH;
        case "tool_calls", "function_call" -> StopReason.TOOL_CALLS;
        case "content_filter" -> StopReason.REFUSED;
        default -> StopReason.END;
      };
    }
  }
}
