package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolCall;
import dev.holdfast.models.http.StreamWatch;
import dev.holdfast.models.http.UsageFacts;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.ollama.OllamaStreamingChatModel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** Ollama's chat. */
final class OllamaDialect implements Dialect {
  private final String baseUrl;
  private final ToIntFunction<String> window;

  /**
   * {@code window}: tokens of context to ask for; by default Ollama drops old turns without a word.
   */
  OllamaDialect(ProviderAccount account, ToIntFunction<String> window) {
    String base = account.base("http://127.0.0.1:11434");
    this.baseUrl = base.endsWith("/api") ? base.substring(0, base.length() - 4) : base;
    this.window = window;
  }

  @Override
  public StreamingChatModel model(ModelRequest request, HttpClientBuilder wire) {
    return OllamaStreamingChatModel.builder()
        .httpClientBuilder(wire)
        .baseUrl(baseUrl)
        .modelName(request.model())
        .numPredict(request.outputTokensMax())
        .numCtx(window.applyAsInt(request.model()))
        .build();
  }

  @Override
  public StreamWatch watch() {
    return new Watch();
  }

  @Override
  public boolean jsonLines() {
    return true;
  }

  @Override
  public void edit(ObjectNode body, ModelRequest request) {
    OpenAiDialect.putSchemas(body, request);
    List<Message.ToolResult> results =
        request.messages().stream()
            .filter(Message.ToolResult.class::isInstance)
            .map(Message.ToolResult.class::cast)
            .toList();
    int next = 0;
    for (JsonNode message : body.path("messages")) {
      dropMadeIds(message.path("tool_calls"));
      if (message.path("role").asText().equals("tool") && next < results.size()) {
        Message.ToolResult result = results.get(next++);
        ((ObjectNode) message).put("tool_name", result.tool());
        if (!CallIds.isMade(result.callId())) {
          ((ObjectNode) message).put("tool_call_id", result.callId());
        }
      }
    }
  }

  /** Older versions know no ids; results go by their order then. */
  private static void dropMadeIds(JsonNode calls) {
    for (JsonNode call : calls) {
      if (call instanceof ObjectNode object && CallIds.isMade(call.path("id").asText(""))) {
        object.remove("id");
      }
    }
  }

  private static final class Watch extends StreamWatch {
    private final List<ToolCall> calls = new ArrayList<>();

    @Override
    public List<ToolCall> calls() {
      return List.copyOf(calls);
    }

    @Override
    public String readable(JsonNode data, String text) {
      if (!data.path("message").has("tool_calls")) {
        return text;
      }
      ObjectNode words = data.deepCopy();
      ((ObjectNode) words.path("message")).remove("tool_calls");
      return words.toString();
    }

    @Override
    public void see(String name, JsonNode data) {
      for (JsonNode call : data.path("message").path("tool_calls")) {
        JsonNode function = call.path("function");
        JsonNode given = function.path("arguments");
        String arguments = given.isObject() ? given.toString() : given.asText("");
        calls.add(
            new ToolCall(call.path("id").asText(""), function.path("name").asText(""), arguments));
      }
      if (data.path("done").asBoolean(false)) {
        used(
            new TokenUsage(
                UsageFacts.count(data.path("prompt_eval_count")),
                UsageFacts.count(data.path("eval_count")),
                0,
                0));
        boolean cut = data.path("done_reason").asText("").equals("length");
        finish(cut ? StopReason.LENGTH : StopReason.END);
        end();
      }
    }
  }
}
