package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.models.http.StreamWatch;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;

/**
 * OpenAI's chat completions, which many other servers speak too. The base address holds the
 * version.
 */
final class OpenAiDialect implements Dialect {
  private final ProviderAccount account;
  private final String baseUrl;

  OpenAiDialect(ProviderAccount account) {
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
    return new OpenAiWatch();
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
        function.set("parameters", LangchainMessages.schema(request.tools().get(i)));
      }
    }
  }
}
