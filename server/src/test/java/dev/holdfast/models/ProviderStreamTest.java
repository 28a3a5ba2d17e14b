package dev.holdfast.models;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static dev.holdfast.models.ProviderDouble.question;
import static dev.holdfast.models.ProviderDouble.sse;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.tomakehurst.wiremock.http.Fault;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.models.http.UsageFacts;
import dev.holdfast.net.RawServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ProviderStreamTest {
  @AutoClose private static ProviderDouble server;

  @BeforeAll
  static void open() {
    server = new ProviderDouble();
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void streamsAnAnswerOfEveryShape(String provider) throws Exception {
    server.streams(ModelStreams.type(provider), ModelStreams.hello(provider));
    ModelAnswer answer = server.ask(provider, question("hi"));
    assertThat(answer.message().text()).isEqualTo("Hello you");
    assertThat(answer.message().model()).isEqualTo(provider + "/m1");
    assertThat(answer.stop()).isEqualTo(StopReason.END);
    assertThat(answer.usage()).isEqualTo(new TokenUsage(12, 3, 0, 0));
    assertThat(server.deltas()).containsExactly("Hello", " you");
  }

  @Test
  void aThoughtAndAPartOfACallAreSignsOfWorkAndAPingIsNone() throws Exception {
    server.streams(
        ModelStreams.SSE,
        sse(
                "message_start|{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","
                    + "\"role\":\"assistant\",\"content\":[],\"model\":\"m1\","
                    + "\"usage\":{\"input_tokens\":12,\"output_tokens\":1}}}",
                "ping|{\"type\":\"ping\"}",
                "content_block_start|{\"type\":\"content_block_start\",\"index\":0,"
                    + "\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}",
                "content_block_delta|{\"type\":\"content_block_delta\",\"index\":0,"
                    + "\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}",
                "ping|{\"type\":\"ping\"}")
            + ModelStreams.anthropicEnd("end_turn"));
    assertThat(server.works("anthropic")).isEqualTo(2);

    server.streams(
        ModelStreams.SSE,
        sse(
            "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\","
                + "\"type\":\"function\",\"function\":{\"name\":\"w\",\"arguments\":\"{}\"}}]}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}",
            "[DONE]"));
    assertThat(server.works("openai")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void sendsTheQuestionAndNoSamplingParameters(String provider) throws Exception {
    server.streams(ModelStreams.type(provider), ModelStreams.hello(provider));
    server.ask(provider, question("hi there"));
    JsonNode sent = server.sent();
    assertThat(sent.toString()).contains("hi there").contains("Be brief.");
    assertThat(sent.findValues("temperature").stream().filter(v -> !v.isNull())).isEmpty();
    assertThat(sent.findValues("top_p").stream().filter(v -> !v.isNull())).isEmpty();
    assertThat(sent.findValues("topP").stream().filter(v -> !v.isNull())).isEmpty();
  }

  @Test
  void sendsKeysAndLimitsWhereEachProviderLooksForThem() throws Exception {
    server.streams(ModelStreams.SSE, ModelStreams.hello("anthropic"));
    server.ask("anthropic", question("hi"));
    var request = server.requests().getLast();
    assertThat(request.getUrl()).isEqualTo("/v1/messages");
    assertThat(request.getHeader("x-api-key")).isEqualTo(ProviderDouble.KEY);
    assertThat(request.getHeader("anthropic-version")).isEqualTo("2026-10-21");
    assertThat(server.sent().path("max_tokens").asInt()).isEqualTo(1000);
    assertThat(server.sent().path("system").path(0).path("cache_control").path("type").asText())
        .isEqualTo("ephemeral");

    server.streams(ModelStreams.SSE, ModelStreams.hello("openai"));
    server.ask("openai", question("hi"));
    request = server.requests().getLast();
    assertThat(request.getUrl()).isEqualTo("/chat/completions");
    assertThat(request.getHeader("authorization")).isEqualTo("Bearer " + ProviderDouble.KEY);
    assertThat(server.sent().path("max_completion_tokens").asInt()).isEqualTo(1000);
    assertThat(server.sent().path("stream_options").path("include_usage").asBoolean()).isTrue();

    server.streams(ModelStreams.SSE, ModelStreams.hello("gemini"));
    server.ask("gemini", question("hi"));
    request = server.requests().getLast();
    assertThat(request.getUrl()).isEqualTo("/v1beta/models/m1:streamGenerateContent?alt=sse");
    assertThat(request.getHeader("x-goog-api-key")).isEqualTo(ProviderDouble.KEY);

    server.streams(ModelStreams.NDJSON, ModelStreams.hello("ollama"));
    server.ask("ollama", question("hi"));
    assertThat(server.requests().getLast().getUrl()).isEqualTo("/api/chat");
    assertThat(server.sent().path("options").path("num_ctx").asInt()).isEqualTo(4096);
    assertThat(server.sent().path("options").path("num_predict").asInt()).isEqualTo(1000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void aStreamWithoutItsEndIsAFailureNeverAnAnswer(String provider) {
    server.streams(ModelStreams.type(provider), ModelStreams.begun(provider));
    Failure failure = server.failure(provider);
    assertThat(failure.code()).isEqualTo(FailureCode.NETWORK);
    assertThat(failure.kind()).isEqualTo(FailureKind.TRANSIENT);
    assertThat(server.deltas()).contains("Hello");
  }

  @Test
  void doneWithoutAReasonIsNoEnd() {
    server.streams(ModelStreams.SSE, ModelStreams.begun("openai") + sse("[DONE]"));
    assertThat(server.failure("openai").code()).isEqualTo(FailureCode.NETWORK);
  }

  @Test
  void whatACutStreamHadUsedIsNotForgotten() {
    server.streams(ModelStreams.SSE, ModelStreams.begun("anthropic"));
    assertThat(UsageFacts.read(server.failure("anthropic"))).isEqualTo(new TokenUsage(12, 1, 0, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "overloaded_error, OVERLOADED, TRANSIENT",
    "rate_limit_error, RATE_LIMITED, TRANSIENT",
    "api_error, BACKEND_FAILURE, TRANSIENT",
    "timeout_error, TIMEOUT, TRANSIENT",
    "invalid_request_error, INVALID_REQUEST, INVALID",
    "authentication_error, AUTH, PERMANENT",
    "billing_error, QUOTA, PERMANENT",
    "brand_new_error, BACKEND_FAILURE, TRANSIENT"
  })
  void anErrorInAStreamIsSortedByItsType(String type, FailureCode code, FailureKind kind) {
    server.streams(
        ModelStreams.SSE,
        ModelStreams.begun("anthropic")
            + sse(
                "error|{\"type\":\"error\",\"error\":{\"type\":\""
                    + type
                    + "\",\"message\":\"no\"}}")
            + ModelStreams.anthropicEnd("end_turn"));
    Failure failure = server.failure("anthropic");
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.kind()).isEqualTo(kind);
  }

  @Test
  void errorsInStreamsOfTheOthersAreSeenToo() {
    server.streams(
        ModelStreams.SSE,
        ModelStreams.begun("openai")
            + sse(
                "{\"error\":{\"message\":\"busy\",\"type\":\"service_unavailable_error\",\"code\":\"server_is_overloaded\"}}"));
    assertThat(server.failure("openai").code()).isEqualTo(FailureCode.OVERLOADED);

    server.streams(
        ModelStreams.SSE,
        ModelStreams.begun("gemini")
            + sse(
                "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"slow\","
                    + "\"details\":[{\"@type\":\"RetryInfo\",\"retryDelay\":\"46s\"}]}}"));
    Failure gemini = server.failure("gemini");
    assertThat(gemini.code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(gemini.retryAfter()).isEqualTo(Duration.ofSeconds(46));

    server.streams(
        ModelStreams.NDJSON,
        ModelStreams.begun("ollama") + "{\"error\":\"model runner crashed\"}\n");
    assertThat(server.failure("ollama").code()).isEqualTo(FailureCode.BACKEND_FAILURE);

    server.streams(
        ModelStreams.SSE,
        "data: {\"base_resp\":{\"status_code\":1002,\"status_msg\":\"RPM\"}}\n\n");
    assertThat(server.failure("minimax").code()).isEqualTo(FailureCode.RATE_LIMITED);
  }

  @ParameterizedTest
  @CsvSource({
    "1002, RATE_LIMITED, TRANSIENT",
    "1039, RATE_LIMITED, TRANSIENT",
    "1004, AUTH, PERMANENT",
    "2049, AUTH, PERMANENT",
    "1008, QUOTA, PERMANENT",
    "2056, QUOTA, PERMANENT",
    "1027, INVALID_REQUEST, INVALID",
    "1033, BACKEND_FAILURE, TRANSIENT"
  })
  void minimaxRefusesWithStatus200(int number, FailureCode code, FailureKind kind) {
    server.refuses(200, "{\"base_resp\":{\"status_code\":" + number + ",\"status_msg\":\"no\"}}");
    Failure failure = server.failure("minimax");
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.kind()).isEqualTo(kind);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void anHtmlPageIsAFailure(String provider) {
    server.streams("text/html; charset=utf-8", "<html><body>Please log in</body></html>");
    Failure failure = server.failure(provider);
    assertThat(failure.code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failure.message()).contains("text/html");
    assertThat(server.deltas()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void brokenJsonIsAFailure(String provider) {
    String line =
        provider.equals("ollama") ? "{\"mess\n" : "event: message_start\ndata: {\"mess\n\n";
    server.streams(ModelStreams.type(provider), line);
    assertThat(server.failure(provider).code()).isEqualTo(FailureCode.NETWORK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void jsonOfAShapeThatNobodyKnowsIsAFailure(String provider) {
    String data =
        "{\"delta\":7,\"choices\":\"x\",\"candidates\":3,\"message\":[1],\"index\":\"a\"}";
    String body =
        provider.equals("ollama")
            ? data + "\n"
            : "event: content_block_delta\ndata: " + data + "\n\n";
    server.streams(ModelStreams.type(provider), body);
    assertThat(server.failure(provider).isPassing()).isTrue();
  }

  @Test
  void anEndlessTextIsCutOffCleanly() {
    String part = "x".repeat(500_000);
    StringBuilder body = new StringBuilder(ModelStreams.begun("openai"));
    for (int i = 0; i < 20; i++) {
      body.append(sse("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + part + "\"}}]}"));
    }
    server.streams(ModelStreams.SSE, body.toString());
    Failure failure = server.failure("openai");
    assertThat(failure.kind()).isEqualTo(FailureKind.INVALID);
    assertThat(failure.message()).contains("endless");
  }

  @Test
  void anEventLargerThanMemoryAllowsIsRefused() {
    server.streams(ModelStreams.SSE, "data: " + "x".repeat(9_000_000));
    assertThat(server.failure("openai").kind()).isEqualTo(FailureKind.INVALID);
  }

  @Test
  void aThousandToolCallsAreRefused() {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      body.append(
          sse(
              "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":"
                  + i
                  + ",\"id\":\"c"
                  + i
                  + "\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}"));
    }
    body.append(
        sse(
            "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}",
            "[DONE]"));
    server.streams(ModelStreams.SSE, body.toString());
    assertThat(server.failure("openai").kind()).isEqualTo(FailureKind.INVALID);
  }

  @Test
  void nulAndHalvesOfCharactersAreTakenOut() throws Exception {
    server.streams(
        ModelStreams.SSE,
        sse(
            "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\\u0000b\\ud83d\"}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\ude00c\\udc00\"}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}",
            "[DONE]"));
    ModelAnswer answer = server.ask("openai", question("hi"));
    assertThat(answer.message().text()).isEqualTo("ab\uD83D\uDE00c\uFFFD");
    assertThat(String.join("", server.deltas())).isEqualTo("ab\uD83D\uDE00c\uFFFD");
  }

  @Test
  void compressedDataThatNobodyAskedForIsAFailure() {
    server.answers(
        aResponse()
            .withHeader("content-type", "text/event-stream")
            .withHeader("content-encoding", "gzip")
            .withBody("x"));
    assertThat(server.failure("anthropic").message()).contains("compressed");
  }

  @ParameterizedTest
  @CsvSource({
    "CONNECTION_RESET_BY_PEER",
    "EMPTY_RESPONSE",
    "MALFORMED_RESPONSE_CHUNK",
    "RANDOM_DATA_THEN_CLOSE"
  })
  void aBrokenConnectionIsANetworkFailure(Fault fault) {
    server.answers(aResponse().withFault(fault));
    Failure failure = server.failure("anthropic");
    assertThat(failure.code()).isEqualTo(FailureCode.NETWORK);
    assertThat(failure.isPassing()).isTrue();
  }

  @Test
  void aHangEndsAtTheFirstTokenLimit() {
    server.answers(aResponse().withFixedDelay(10_000).withBody("late"));
    assertThat(server.failure("anthropic", Duration.ofMillis(300)).code())
        .isEqualTo(FailureCode.TIMEOUT);
  }

  @Test
  void aStallInAStreamEndsAtTheIdleLimit() {
    server.answers(
        aResponse()
            .withHeader("content-type", "text/event-stream")
            .withChunkedDribbleDelay(4, 8000)
            .withBody(ModelStreams.hello("anthropic")));
    assertThat(server.failure("anthropic", Duration.ofMillis(500)).code())
        .isIn(FailureCode.STREAM_TIMEOUT, FailureCode.TIMEOUT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void anInterruptClosesTheConnectionInTheMiddleOfAStream(String provider) throws Exception {
    CountDownLatch heard = new CountDownLatch(1);
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    try (RawServer hanging =
        new RawServer(
            c -> {
              c.write(
                  "HTTP/1.1 200 OK\r\ncontent-type: "
                      + ModelStreams.type(provider)
                      + "\r\ntransfer-encoding: chunked\r\n\r\n");
              c.chunk(ModelStreams.begun(provider));
              c.awaitClose();
            })) {
      Thread asking =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      server
                          .providerAt(provider, hanging.url())
                          .ask(question("hi"), _ -> heard.countDown());
                    } catch (CallFailedException | InterruptedException e) {
                      thrown.complete(e);
                    }
                  });
      assertThat(heard.await(10, TimeUnit.SECONDS)).isTrue();
      asking.interrupt();
      assertThat(thrown.get(10, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
      assertThat(hanging.gone().await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void refusalsAndLengthsAreToldApart() throws Exception {
    server.streams(
        ModelStreams.SSE, ModelStreams.anthropicBegun() + ModelStreams.anthropicEnd("refusal"));
    assertThat(server.ask("anthropic", question("hi")).stop()).isEqualTo(StopReason.REFUSED);
    server.streams(
        ModelStreams.SSE, ModelStreams.anthropicBegun() + ModelStreams.anthropicEnd("max_tokens"));
    assertThat(server.ask("anthropic", question("hi")).stop()).isEqualTo(StopReason.LENGTH);
    server.streams(ModelStreams.SSE, sse("{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}"));
    assertThat(server.ask("gemini", question("hi")).stop()).isEqualTo(StopReason.REFUSED);
  }
}
