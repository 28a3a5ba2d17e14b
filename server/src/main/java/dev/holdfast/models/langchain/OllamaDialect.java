package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.models.http.StreamWatch;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.ollama.OllamaStreamingChatModel;
import java.util.List;
import java.util.function.ToIntFunction;

/** Ollama's chat. */
final class OllamaDialect implements Dialect {
  private final String baseUrl;
  private final ToIntFunction<String> window;

  /**
   * {@code window}: tokens of context to ask for; by default Ollama drops old turns without a word.
   */
  OllamaDialect(Account account, ToIntFunction<String> window) {
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
      if (message.path("role").asText().equals("tool") && next < results.size()) {
        ((ObjectNode) message).put("tool_name", results.get(next++).tool());
      }
    }
  }

  private static final class Watch extends StreamWatch {
    @Override
    public void see(String name, JsonNode data) {
      if (data.path("done").asBoolean(false)) {
        used(
            new TokenUsage(
                data.path("prompt_eval_count").asLong(0), data.path("eval_count").asLong(0), 0, 0));
        boolean cut = data.path("done_reason").asText("").equals("length");
        finish(cut ? StopReason.LENGTH : StopReason.END);
        end();
      }
    }
  }
}
