package dev.holdfast.models;

import static dev.holdfast.models.ProviderDouble.WEATHER;
import static dev.holdfast.models.ProviderDouble.sse;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.ToolCall;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tools and what belongs to them, as each provider wants them. */
@Timeout(60)
class ToolShapeTest {
  @AutoClose private static final ProviderDouble SERVER = new ProviderDouble();

  private static ModelRequest request(Message... messages) {
    List<Message> all = new ArrayList<>(List.of(new Message.User("weather?")));
    all.addAll(List.of(messages));
    return new ModelRequest("m1", "", all, List.of(WEATHER), 1000);
  }

  private static Message.Assistant wish(String model, String opaque, ToolCall... calls) {
    return new Message.Assistant("Let me look.", List.of(calls), opaque, model);
  }

  private static final ToolCall OSLO = new ToolCall("c1", "get_weather", "{\"city\":\"Oslo\"}");
  private static final ToolCall ROME = new ToolCall("c2", "get_weather", "{\"city\":\"Rome\"}");

  private static Message.ToolResult result(String id, String text, boolean isError) {
    return new Message.ToolResult(id, "get_weather", text, isError);
  }

  private JsonNode sentBy(String provider, ModelRequest request) throws Exception {
    SERVER.streams(ModelStreams.type(provider), ModelStreams.hello(provider));
    SERVER.ask(provider, request);
    return SERVER.sent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void aSchemaIsSentAsItWasGiven(String provider) throws Exception {
    JsonNode tools = sentBy(provider, request()).path("tools");
    JsonNode schema =
        switch (provider) {
          case "anthropic" -> tools.path(0).path("input_schema");
          case "gemini" ->
              tools.path(0).path("functionDeclarations").path(0).path("parametersJsonSchema");
          default -> tools.path(0).path("function").path("parameters");
        };
    assertThat(schema).isEqualTo(ProviderDouble.JSON.readTree(WEATHER.schema()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void nobodySpeaksTwiceInARow(String provider) throws Exception {
    SERVER.streams(ModelStreams.type(provider), ModelStreams.hello(provider));
    SERVER.ask(
        provider,
        new ModelRequest(
            "m1",
            "",
            List.of(new Message.User("first"), new Message.User("second")),
            List.of(),
            1000));
    JsonNode said = SERVER.sent().path(provider.equals("gemini") ? "contents" : "messages");
    assertThat(said).hasSize(1);
    assertThat(said.toString()).contains("first").contains("second");
  }

  @Test
  void parallelCallsAndResultsGoToAnthropic() throws Exception {
    JsonNode messages =
        sentBy(
                "anthropic",
                request(
                    wish("anthropic/m1", "", OSLO, ROME),
                    result("c1", "4 degrees", false),
                    result("c2", "no such city", true)))
            .path("messages");
    assertThat(messages).hasSize(3);
    assertThat(messages.path(1).path("content").path(1).path("input").path("city").asText())
        .isEqualTo("Oslo");
    JsonNode results = messages.path(2).path("content");
    assertThat(results).hasSize(2);
    assertThat(results.path(0).path("tool_use_id").asText()).isEqualTo("c1");
    assertThat(results.path(1).path("is_error").asBoolean()).isTrue();
    assertThat(results.path(1).has("cache_control")).isTrue();
  }

  @Test
  void parallelCallsAndResultsGoToOpenAi() throws Exception {
    JsonNode messages =
        sentBy(
                "openai",
                request(
                    wish("openai/m1", "", OSLO, ROME),
                    result("c1", "4 degrees", false),
                    result("c2", "no such city", true)))
            .path("messages");
    assertThat(messages).hasSize(4);
    assertThat(messages.path(1).path("tool_calls")).hasSize(2);
    assertThat(messages.path(2).path("tool_call_id").asText()).isEqualTo("c1");
    assertThat(messages.path(3).path("content").asText()).isEqualTo("Error: no such city");
  }

  @Test
  void resultsOfParallelCallsGoToGeminiInOneContent() throws Exception {
    JsonNode contents =
        sentBy(
                "gemini",
                request(
                    wish("gemini/m1", "", OSLO, ROME),
                    result("c1", "4 degrees", false),
                    result("c2", "9 degrees", false)))
            .path("contents");
    assertThat(contents).hasSize(3);
    assertThat(contents.path(2).path("parts")).hasSize(2);
    assertThat(
            contents.path(2).path("parts").path(1).path("functionResponse").path("name").asText())
        .isEqualTo("get_weather");
  }

  @Test
  void aResultForOllamaNamesItsTool() throws Exception {
    JsonNode messages =
        sentBy("ollama", request(wish("ollama/m1", "", OSLO), result("c1", "4 degrees", false)))
            .path("messages");
    assertThat(
            messages
                .path(1)
                .path("tool_calls")
                .path(0)
                .path("function")
                .path("arguments")
                .path("city")
                .asText())
        .isEqualTo("Oslo");
    assertThat(messages.path(2).path("role").asText()).isEqualTo("tool");
    assertThat(messages.path(2).path("tool_name").asText()).isEqualTo("get_weather");
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void argumentsThatAreNoJsonDoNotSpoilLaterRequests(String provider) throws Exception {
    JsonNode sent =
        sentBy(
            provider,
            request(
                wish(provider + "/m1", "", new ToolCall("c1", "get_weather", "{\"city\":")),
                result("c1", "bad arguments", true)));
    assertThat(sent.toString()).contains("invalid_arguments");
  }

  @Test
  void toolCallsInAStreamAreReadWithTheirArguments() throws Exception {
    SERVER.streams(
        ModelStreams.SSE,
        sse(
            "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"\"}}]}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"city\\\":\"}}]}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"Oslo\\\"}\"}}]}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}",
            "[DONE]"));
    ModelAnswer answer = SERVER.ask("openai", request());
    assertThat(answer.stop()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(answer.message().toolCalls()).containsExactly(OSLO);
  }

  @Test
  void aCallWithoutIdGetsOneThatTheProviderNeverSees() throws Exception {
    SERVER.streams(
        ModelStreams.SSE,
        sse(
            "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"get_weather\",\"args\":{\"city\":\"Oslo\"}}}]},\"finishReason\":\"NEW_REASON\"}]}"));
    Message.Assistant said = SERVER.ask("gemini", request()).message();
    ToolCall call = said.toolCalls().getFirst();
    assertThat(call.id()).isNotBlank();
    JsonNode contents =
        sentBy("gemini", request(said, result(call.id(), "4", false))).path("contents");
    assertThat(contents.toString()).doesNotContain(call.id());
  }

  private static final String THINKING =
      sse(
          "message_start|{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}",
          "content_block_start|{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}",
          "content_block_delta|{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Let"
              + " me \"}}",
          "content_block_delta|{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"think\"}}",
          "content_block_delta|{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"sig1\"}}",
          "content_block_stop|{\"type\":\"content_block_stop\",\"index\":0}",
          "content_block_start|{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"xyz\"}}",
          "content_block_stop|{\"type\":\"content_block_stop\",\"index\":1}",
          "content_block_start|{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"get_weather\",\"input\":{}}}",
          "content_block_delta|{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"city\\\":\\\"Oslo\\\"}\"}}",
          "content_block_stop|{\"type\":\"content_block_stop\",\"index\":2}");

  @Test
  void signedThoughtsGoBackUnchangedToTheModelThatHadThem() throws Exception {
    SERVER.streams(ModelStreams.SSE, THINKING + ModelStreams.anthropicEnd("tool_use"));
    Message.Assistant said = SERVER.ask("anthropic", request()).message();
    assertThat(said.toolCalls()).containsExactly(OSLO);
    assertThat(said.opaque()).contains("sig1").contains("redacted_thinking");

    JsonNode content =
        sentBy("anthropic", request(said, result("c1", "4 degrees", false)))
            .path("messages")
            .path(1)
            .path("content");
    assertThat(content).hasSize(3);
    assertThat(content.path(0).path("thinking").asText()).isEqualTo("Let me think");
    assertThat(content.path(0).path("signature").asText()).isEqualTo("sig1");
    assertThat(content.path(2).path("input").path("city").asText()).isEqualTo("Oslo");
  }

  @Test
  void signedThoughtsGoToNoOtherModelAndNotWithoutTheirCalls() throws Exception {
    SERVER.streams(ModelStreams.SSE, THINKING + ModelStreams.anthropicEnd("tool_use"));
    Message.Assistant said = SERVER.ask("anthropic", request()).message();
    assertThat(sentBy("minimax", request(said, result("c1", "4", false))).toString())
        .doesNotContain("sig1");
    Message.Assistant repaired =
        new Message.Assistant("Let me look.", List.of(), said.opaque(), said.model());
    assertThat(sentBy("anthropic", request(repaired, new Message.User("and?"))).toString())
        .doesNotContain("sig1");
  }

  @Test
  void signedPartsGoBackUnchangedToGemini() throws Exception {
    SERVER.streams(
        ModelStreams.SSE,
        sse(
            "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"get_weather\",\"args\":{\"city\":\"Oslo\"}},\"thoughtSignature\":\"sig2\"}]},\"finishReason\":\"STOP\"}]}"));
    Message.Assistant said = SERVER.ask("gemini", request()).message();
    String id = said.toolCalls().getFirst().id();
    JsonNode part =
        sentBy("gemini", request(said, result(id, "4", false)))
            .path("contents")
            .path(1)
            .path("parts")
            .path(0);
    assertThat(part.path("thoughtSignature").asText()).isEqualTo("sig2");
    assertThat(part.path("functionCall").path("args").path("city").asText()).isEqualTo("Oslo");
  }
}
