package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.ToolCall;
import dev.holdfast.models.http.StreamWatch;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Anthropic's Messages API, also spoken by MiniMax. */
final class AnthropicDialect implements Dialect {
  private final ProviderAccount account;
  private final String baseUrl;
  private final String version;

  AnthropicDialect(ProviderAccount account, String home, String version) {
    this.account = account;
    this.version = version;
    String base = account.base(home);
    this.baseUrl = base.endsWith("/v1") ? base : base + "/v1";
  }

  @Override
  public StreamingChatModel model(ModelRequest request, HttpClientBuilder wire) {
    return AnthropicStreamingChatModel.builder()
        .httpClientBuilder(wire)
        .baseUrl(baseUrl)
        .apiKey(account.secret().isEmpty() ? "none" : account.secret())
        .version(version)
        .modelName(request.model())
        .maxTokens(request.outputTokensMax())
        .build();
  }

  @Override
  public StreamWatch watch() {
    return new AnthropicWatch();
  }

  @Override
  public boolean marksErrors() {
    return true;
  }

  @Override
  public boolean takesImagesInResults() {
    return true;
  }

  @Override
  public void edit(ObjectNode body, ModelRequest request) {
    JsonNode tools = body.path("tools");
    for (int i = 0; i < Math.min(tools.size(), request.tools().size()); i++) {
      ((ObjectNode) tools.get(i))
          .set("input_schema", LangchainMessages.schema(request.tools().get(i)));
    }
    putBackOpaqueParts(body, request);
    markCached(body.path("system"));
    markCached(tools);
    JsonNode messages = body.path("messages");
    if (!messages.isEmpty()) {
      markCached(messages.get(messages.size() - 1).path("content"));
    }
  }

  /**
   * What stays the same from call to call is paid once: the last block of each stable part is
   * marked.
   */
  private static void markCached(JsonNode blocks) {
    if (blocks.isArray()
        && !blocks.isEmpty()
        && blocks.get(blocks.size() - 1) instanceof ObjectNode last) {
      last.putObject("cache_control").put("type", "ephemeral");
    }
  }

  private static void putBackOpaqueParts(ObjectNode body, ModelRequest request) {
    List<ObjectNode> sent = new ArrayList<>();
    for (JsonNode message : body.path("messages")) {
      if (message.path("role").asText().equals("assistant")) {
        sent.add((ObjectNode) message);
      }
    }
    List<Message.Assistant> said = LangchainMessages.assistants(request);
    for (int i = 0; i < Math.min(sent.size(), said.size()); i++) {
      ArrayNode blocks = OpaqueBlocks.blocks(said.get(i).opaque());
      if (!blocks.isEmpty() && callIds(blocks).equals(callIds(said.get(i)))) {
        sent.get(i).set("content", blocks);
      }
    }
  }

  /**
   * A repair of the context may have taken calls away; then the old blocks would call for results
   * that are gone.
   */
  private static Set<String> callIds(ArrayNode blocks) {
    return blocks
        .valueStream()
        .filter(block -> block.path("type").asText().equals("tool_use"))
        .map(block -> block.path("id").asText())
        .collect(Collectors.toSet());
  }

  private static Set<String> callIds(Message.Assistant said) {
    return said.toolCalls().stream().map(ToolCall::id).collect(Collectors.toSet());
  }
}
