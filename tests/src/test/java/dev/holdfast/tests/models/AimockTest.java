package dev.holdfast.tests.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.models.langchain.LangchainProvider;
import dev.holdfast.models.langchain.ProviderAccount;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.tests.harness.Aimock;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.time.SystemTime;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every shape of provider against the double that others made. */
@Timeout(120)
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/models/langchain",
      "server/src/main/java/dev/holdfast/models/http",
      "tests/src/main/doubles/package.json"
    })
class AimockTest {
  private static final String FIXTURES =
      """
      {"fixtures":[
       {"match":{"userMessage":"weather","hasToolResult":false},
        "response":{"content":"Let me look.","toolCalls":[{"name":"get_weather","arguments":{"city":"Oslo"}}]}},
       {"match":{"hasToolResult":true},"response":{"content":"It is 4 degrees."}},
       {"match":{"userMessage":"hello"},"response":{"content":"Good morning to you, whoever you are."},"chunkSize":5},
       {"match":{"userMessage":"e429"},
        "response":{"error":{"message":"slow","type":"rate_limit_error"},"status":429,"retryAfter":7}},
       {"match":{"userMessage":"e529"},
        "response":{"error":{"message":"Overloaded","type":"overloaded_error"},"status":529}},
       {"match":{"userMessage":"trunc"},
        "response":{"content":"a text that is long enough to be cut"},"truncateAfterChunks":3,"chunkSize":5},
       {"match":{"userMessage":"disc"},
        "response":{"content":"a text that is long enough to be cut"},"latency":100,"disconnectAfterMs":350,"chunkSize":5}
      ]}
      """;

  private static final ToolSpec WEATHER =
      new ToolSpec(
          "get_weather",
          "The weather of a city",
          """
          {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}""");

  private static final HttpCaller.Limits LIMITS =
      new HttpCaller.Limits(
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofSeconds(20),
          1024 * 1024);

  private static final Vertx VERTX = Vertx.vertx();
  @TempDir static Path folder;
  private static HttpCaller http;
  private static Aimock aimock;

  @BeforeAll
  static void open() {
    http = HttpCaller.create(VERTX, new SystemTime());
    aimock = Aimock.start(folder, FIXTURES);
  }

  @AfterAll
  static void close() {
    aimock.close();
    http.close();
    VERTX.close().toCompletionStage().toCompletableFuture().join();
  }

  private static ModelProvider provider(String name) {
    String url = aimock.url() + (name.equals("openai") ? "/v1" : "");
    return LangchainProvider.of(
        new ProviderAccount(name, "sk-test-0123456789", url, false),
        new LangchainProvider.Connection(http, LIMITS, new SystemTime()),
        _ -> 4096);
  }

  private static ModelRequest question(String text) {
    return new ModelRequest(
        "test-model", "You are a helper.", List.of(new Message.User(text)), List.of(WEATHER), 1000);
  }

  private static Failure failure(String provider, String text) {
    return catchThrowableOfType(
            CallFailedException.class,
            () -> provider(provider).ask(question(text), ModelListener.SILENT))
        .failure();
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void answersInSeveralParts(String name) throws Exception {
    List<String> deltas = new ArrayList<>();
    ModelAnswer answer = provider(name).ask(question("hello"), deltas::add);
    assertThat(answer.message().text()).isEqualTo("Good morning to you, whoever you are.");
    assertThat(answer.stop()).isEqualTo(StopReason.END);
    assertThat(String.join("", deltas)).isEqualTo(answer.message().text());
    assertThat(deltas).hasSizeGreaterThan(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void callsAToolAndReadsItsResult(String name) throws Exception {
    ModelRequest first = question("weather");
    ModelAnswer asked = provider(name).ask(first, ModelListener.SILENT);
    assertThat(asked.stop()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(asked.message().text()).isEqualTo("Let me look.");
    ToolCall call = asked.message().toolCalls().getFirst();
    assertThat(call.tool()).isEqualTo("get_weather");
    assertThat(call.id()).isNotBlank();
    assertThat(Json.read(call.arguments()).path("city").asText()).isEqualTo("Oslo");

    List<Message> messages = new ArrayList<>(first.messages());
    messages.add(asked.message());
    messages.add(new Message.ToolResult(call.id(), call.tool(), "4 degrees", false));
    ModelAnswer answer =
        provider(name)
            .ask(
                new ModelRequest("test-model", "", messages, first.tools(), 1000),
                ModelListener.SILENT);
    assertThat(answer.message().text()).isEqualTo("It is 4 degrees.");
    assertThat(journal()).contains("4 degrees");
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void readsRefusals(String name) {
    Failure limited = failure(name, "e429");
    assertThat(limited.code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(limited.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(failure(name, "e529").code()).isEqualTo(FailureCode.OVERLOADED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void takesNoCutStreamForAnAnswer(String name) {
    assertThat(failure(name, "trunc").code()).isEqualTo(FailureCode.NETWORK);
    assertThat(failure(name, "disc").code()).isEqualTo(FailureCode.NETWORK);
  }

  /** What it was really sent last. */
  private static String journal() throws IOException {
    JsonNode journal = new Http().get(aimock.url() + "/__aimock/journal", Map.of()).json();
    return journal.get(journal.size() - 1).toString();
  }
}
