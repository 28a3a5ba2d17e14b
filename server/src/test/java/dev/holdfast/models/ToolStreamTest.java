package dev.holdfast.models;

import static dev.holdfast.models.ProviderDouble.WEATHER;
import static dev.holdfast.models.ProviderDouble.sse;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.api.FailureCode;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two calls in one answer, as each provider sends them: in a stream, or all at once. */
@Timeout(60)
class ToolStreamTest {
  private static final String JSON = "application/json";
  private static final ToolCall OSLO = new ToolCall("c1", "get_weather", "{\"city\":\"Oslo\"}");
  private static final ToolCall ROME = new ToolCall("c2", "get_weather", "{\"city\":\"Rome\"}");

  @AutoClose private static final ProviderDouble SERVER = new ProviderDouble();

  private static ModelRequest request(Message... later) {
    List<Message> all = new ArrayList<>(List.of(new Message.User("weather?")));
    all.addAll(List.of(later));
    return new ModelRequest("m1", "", all, List.of(WEATHER), 1000);
  }

  /** The arguments come in pieces, those of two calls by turns where the shape allows it. */
  private static String streamed(String provider) {
    return switch (provider) {
      case "anthropic", "minimax" ->
          sse(
                  "message_start|{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":12}}}",
                  block(0, "c1"),
                  piece(0, ""),
                  piece(0, "{\\\"ci"),
                  piece(0, "ty\\\":\\\"Oslo\\\"}"),
                  "content_block_stop|{\"type\":\"content_block_stop\",\"index\":0}",
                  "ping|{\"type\":\"ping\"}",
                  block(1, "c2"),
                  piece(1, "{\\\"city\\\""),
                  piece(1, ":\\\"Rome\\\"}"),
                  "content_block_stop|{\"type\":\"content_block_stop\",\"index\":1}")
              + ModelStreams.anthropicEnd("tool_use");
      case "openai" ->
          sse(
              call(0, "\"id\":\"c1\",\"type\":\"function\",", "\"name\":\"get_weather\",", "{"),
              call(1, "\"id\":\"c2\",\"type\":\"function\",", "\"name\":\"get_weather\",", ""),
              call(0, "", "", "\\\"city\\\":\\\"Os"),
              call(0, "", "", "lo\\\"}"),
              call(1, "", "", "{\\\"city\\\":\\\"Rome\\\"}"),
              "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}",
              "{\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}",
              "[DONE]");
      case "gemini" ->
          sse(
              "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":["
                  + part("c1", "Oslo")
                  + "]}}]}",
              "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":["
                  + part("c2", "Rome")
                  + "]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":12,\"candidatesTokenCount\":3}}");
      case "ollama" ->
          "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":["
              + function("c1", "Oslo")
              + "]},\"done\":false}\n"
              + "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":["
              + function("c2", "Rome")
              + "]},\"done\":false}\n"
              + "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":12,\"eval_count\":3}\n";
      default -> throw new IllegalArgumentException(provider);
    };
  }

  private static String block(int index, String id) {
    return "content_block_start|{\"type\":\"content_block_start\",\"index\":%d,\"content_block\":{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"get_weather\",\"input\":{}}}"
        .formatted(index, id);
  }

  private static String piece(int index, String json) {
    return "content_block_delta|{\"type\":\"content_block_delta\",\"index\":%d,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"%s\"}}"
        .formatted(index, json);
  }

  private static String call(int index, String head, String name, String arguments) {
    return "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":%d,%s\"function\":{%s\"arguments\":\"%s\"}}]}}]}"
        .formatted(index, head, name, arguments);
  }

  private static String part(String id, String city) {
    return "{\"functionCall\":{\"id\":\"%s\",\"name\":\"get_weather\",\"args\":{\"city\":\"%s\"}}}"
        .formatted(id, city);
  }

  private static String function(String id, String city) {
    return "{\"id\":\"%s\",\"function\":{\"name\":\"get_weather\",\"arguments\":{\"city\":\"%s\"}}}"
        .formatted(id, city);
  }

  private static String whole(String provider) {
    return switch (provider) {
      case "anthropic", "minimax" ->
          "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m1\",\"content\":["
              + "{\"type\":\"thinking\",\"thinking\":\"Hm\",\"signature\":\"sig1\"},{\"type\":\"text\",\"text\":\"Let"
              + " me look.\"},"
              + "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"get_weather\",\"input\":{\"city\":\"Oslo\"}},"
              + "{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":\"get_weather\",\"input\":{\"city\":\"Rome\"}}],"
              + "\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":12,\"output_tokens\":3}}";
      case "openai" ->
          "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m1\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Let"
              + " me look.\",\"tool_calls\":["
              + "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\\\"Oslo\\\"}\"}},"
              + "{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\\\"Rome\\\"}\"}}]},"
              + "\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}";
      case "gemini" ->
          "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Let me"
              + " look.\"},"
              + part("c1", "Oslo")
              + ","
              + part("c2", "Rome")
              + "]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":12,\"candidatesTokenCount\":3}}";
      case "ollama" ->
          "{\"message\":{\"role\":\"assistant\",\"content\":\"Let me look.\",\"tool_calls\":["
              + function("c1", "Oslo")
              + ","
              + function("c2", "Rome")
              + "]},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":12,\"eval_count\":3}";
      default -> throw new IllegalArgumentException(provider);
    };
  }

  private static void assertBothCalls(ModelAnswer answer) {
    assertThat(answer.stop()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(answer.message().toolCalls()).containsExactly(OSLO, ROME);
    assertThat(answer.usage().input()).isEqualTo(12);
    assertThat(answer.usage().output()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void callsInPiecesKeepTheirOrderAndTheirArguments(String provider) throws Exception {
    SERVER.streams(ModelStreams.type(provider), streamed(provider));
    assertBothCalls(SERVER.ask(provider, request()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void anAnswerThatComesWholeIsReadLikeAStream(String provider) throws Exception {
    SERVER.streams(JSON, whole(provider));
    ModelAnswer answer = SERVER.ask(provider, request());
    assertBothCalls(answer);
    assertThat(answer.message().text()).isEqualTo("Let me look.");
    assertThat(String.join("", SERVER.deltas())).isEqualTo("Let me look.");
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic, tool_use\", max_tokens\"",
    "minimax, tool_use\", max_tokens\"",
    "openai, tool_calls\"}], length\"}]",
    "gemini, STOP, MAX_TOKENS",
    "ollama, stop\", length\""
  })
  void callsOfACutAnswerDoNotHideThatItIsCut(String provider, String whole, String cut)
      throws Exception {
    String answer = whole(provider);
    int at = answer.lastIndexOf(whole);
    SERVER.streams(JSON, answer.substring(0, at) + cut + answer.substring(at + whole.length()));
    assertThat(SERVER.ask(provider, request()).stop()).isEqualTo(StopReason.LENGTH);
  }

  @Test
  void thoughtsOfAWholeAnswerGoBackUnchanged() throws Exception {
    SERVER.streams(JSON, whole("anthropic"));
    Message.Assistant said = SERVER.ask("anthropic", request()).message();
    SERVER.streams(ModelStreams.SSE, ModelStreams.hello("anthropic"));
    SERVER.ask(
        "anthropic",
        request(
            said,
            new Message.ToolResult("c1", "get_weather", "4", false),
            new Message.ToolResult("c2", "get_weather", "9", false)));
    JsonNode content = SERVER.sent().path("messages").path(1).path("content");
    JsonNode given = ProviderDouble.JSON.readTree(whole("anthropic")).path("content");
    assertThat(content).isEqualTo(given);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini"})
  void wholeJsonThatIsNoAnswerIsAFailureThatPasses(String provider) {
    for (String body : List.of("{}", "[]", "7", "{\"type\":\"message\"}", "{\"choices\":[{}]}")) {
      SERVER.streams(JSON, body);
      assertThat(SERVER.failure(provider).code()).as(body).isIn(FailureCode.BACKEND_FAILURE);
      assertThat(SERVER.failure(provider).isPassing()).isTrue();
    }
  }

  /** Some gateways count calls from one in each answer, or give all of them the same id. */
  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void callsUnderOneIdAreToldApart(String provider) throws Exception {
    SERVER.streams(ModelStreams.type(provider), streamed(provider).replace("\"c2\"", "\"c1\""));
    List<ToolCall> calls = SERVER.ask(provider, request()).message().toolCalls();
    assertThat(calls)
        .extracting(ToolCall::arguments)
        .containsExactly(OSLO.arguments(), ROME.arguments());
    assertThat(calls).extracting(ToolCall::id).doesNotHaveDuplicates();
  }

  /** Row F33. */
  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void tenThousandCallsAreRefused(String provider) {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      body.append(
          switch (provider) {
            case "anthropic" -> sse(block(i, "c" + i), piece(i, "{}"));
            case "openai" -> sse(call(i, "\"id\":\"c" + i + "\",", "\"name\":\"x\",", "{}"));
            case "gemini" ->
                sse("{\"candidates\":[{\"content\":{\"parts\":[" + part("c" + i, "x") + "]}}]}");
            default ->
                "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":["
                    + function("c" + i, "x")
                    + "]},\"done\":false}\n";
          });
    }
    String end =
        switch (provider) {
          case "anthropic" -> ModelStreams.anthropicEnd("tool_use");
          case "openai" ->
              sse("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}");
          case "gemini" -> sse("{\"candidates\":[{\"finishReason\":\"STOP\"}]}");
          default -> "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true}\n";
        };
    SERVER.streams(ModelStreams.type(provider), body + end);
    assertThat(SERVER.failure(provider).message()).contains("10000 tool calls at once");
    assertThat(SERVER.failure(provider).isPassing()).isFalse();
  }
}
