package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.models.http.StreamWatch;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.googleai.GoogleAiGeminiStreamingChatModel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Google's generateContent. */
final class GeminiDialect implements Dialect {
  private final ProviderAccount account;
  private final String baseUrl;

  GeminiDialect(ProviderAccount account) {
    this.account = account;
    String base = account.base("https://generativelanguage.googleapis.com/v1beta");
    this.baseUrl = base.matches(".*/v1[a-z0-9]*") ? base : base + "/v1beta";
  }

  @Override
  public StreamingChatModel model(ModelRequest request, HttpClientBuilder wire) {
    return GoogleAiGeminiStreamingChatModel.builder()
        .httpClientBuilder(wire)
        .baseUrl(baseUrl)
        .apiKey(account.secret().isEmpty() ? "none" : account.secret())
        .modelName(request.model())
        .maxOutputTokens(request.outputTokensMax())
        // Left unset, the model's thoughts would come out as its answer.
        .returnThinking(false)
        .build();
  }

  @Override
  public StreamWatch watch() {
    return new GeminiWatch();
  }

  @Override
  public void edit(ObjectNode body, ModelRequest request) {
    JsonNode functions = body.path("tools").path(0).path("functionDeclarations");
    for (int i = 0; i < Math.min(functions.size(), request.tools().size()); i++) {
      ObjectNode function = (ObjectNode) functions.get(i);
      function.remove("parameters");
      function.set("parametersJsonSchema", LangchainMessages.schema(request.tools().get(i)));
    }
    if (body.path("contents") instanceof ArrayNode contents) {
      putBackOpaqueParts(contents, request);
      dropMadeIds(contents);
      body.set("contents", joined(contents));
    }
  }

  private static void putBackOpaqueParts(ArrayNode contents, ModelRequest request) {
    List<ObjectNode> sent = new ArrayList<>();
    for (JsonNode content : contents) {
      if (content.path("role").asText().equals("model")) {
        sent.add((ObjectNode) content);
      }
    }
    List<Message.Assistant> said = LangchainMessages.assistants(request);
    for (int i = 0; i < Math.min(sent.size(), said.size()); i++) {
      ArrayNode parts = OpaqueBlocks.blocks(said.get(i).opaque());
      if (!parts.isEmpty() && calls(parts) == said.get(i).toolCalls().size()) {
        sent.get(i).set("parts", parts);
      }
    }
  }

  /** An id that we made is unknown to the provider; it goes by order then. */
  private static void dropMadeIds(ArrayNode contents) {
    for (JsonNode content : contents) {
      for (JsonNode part : content.path("parts")) {
        for (String kind : List.of("functionCall", "functionResponse")) {
          if (part.path(kind) instanceof ObjectNode call
              && CallIds.isMade(call.path("id").asText(""))) {
            call.remove("id");
          }
        }
      }
    }
  }

  private static long calls(ArrayNode parts) {
    return parts.valueStream().filter(part -> part.has("functionCall")).count();
  }

  /** The results of parallel calls belong into one content: as many as there were calls. */
  private static ArrayNode joined(ArrayNode contents) {
    ArrayNode all = LangchainMessages.JSON.createArrayNode();
    @Nullable ArrayNode open = null;
    for (JsonNode content : contents) {
      boolean isResult = content.path("parts").path(0).has("functionResponse");
      if (isResult && open != null) {
        open.addAll((ArrayNode) content.path("parts"));
      } else {
        all.add(content);
        open = isResult ? (ArrayNode) content.path("parts") : null;
      }
    }
    return all;
  }
}
