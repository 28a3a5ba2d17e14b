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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ProviderStreamTest {
  @AutoClose private static final ProviderDouble SERVER = new ProviderDouble();

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void streamsAnAnswerOfEveryShape(String provider) throws Exception {
    SERVER.streams(ModelStreams.type(provider), ModelStreams.hello(provider));
    ModelAnswer answer = SERVER.ask(provider, question("hi"));
    assertThat(answer.message().text()).isEqualTo("Hello you");
    assertThat(answer.message().model()).isEqualTo(provider + "/m1");
    assertThat(answer.stop()).isEqualTo(StopReason.END);
    assertThat(answer.usage()).isEqualTo(new TokenUsage(12, 3, 0, 0));
    assertThat(SERVER.deltas()).containsExactly("Hello", " you");
  }

  @Test
  void aThoughtAndAPartOfACallAreSignsOfWorkAndAPingIsNone() throws Exception {
    SERVER.streams(
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
    assertThat(SERVER.works("anthropic")).isEqualTo(2);

    SERVER.streams(
        ModelStreams.SSE,
        sse(
            "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\","
                + "\"type\":\"function\",\"function\":{\"name\":\"w\",\"arguments\":\"{}\"}}]}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}",
            "[DONE]"));
    assertThat(SERVER.works("openai")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void sendsTheQuestionAndNoSamplingParameters(String provider) throws Exception {
    SERVER.streams(ModelStreams.type(provider), ModelStreams.hello(provider));
    SERVER.ask(provider, question("hi there"));
    JsonNode sent = SERVER.sent();
    assertThat(sent.toString()).contains("hi there").contains("Be brief.");
    assertThat(sent.findValues("temperature").stream().filter(v -> !v.isNull())).isEmpty();
    assertThat(sent.findValues("top_p").stream().filter(v -> !v.isNull())).isEmpty();
    assertThat(sent.findValues("topP").stream().filter(v -> !v.isNull())).isEmpty();
  }

  @Test
  void sendsKeysAndLimitsWhereEachProviderLooksForThem() throws Exception {
    SERVER.streams(ModelStreams.SSE, ModelStreams.hello("anthropic"));
    SERVER.ask("anthropic", question("hi"));
    var request = SERVER.requests().getLast();
    assertThat(request.getUrl()).isEqualTo("/v1/messages");
    assertThat(request.getHeader("x-api-key")).isEqualTo(ProviderDouble.KEY);
    assertThat(request.getHeader("anthropic-version")).isEqualTo("2026-10-21");
    assertThat(SERVER.sent().path("max_tokens").asInt()).isEqualTo(1000);
    assertThat(SERVER.sent().path("system").path(0).path("cache_control").path("type").asText())
        .isEqualTo("ephemeral");

    SERVER.streams(ModelStreams.SSE, ModelStreams.hello("openai"));
    SERVER.ask("openai", question("hi"));
    request = SERVER.requests().getLast();
    assertThat(request.getUrl()).isEqualTo("/chat/completions");
    assertThat(request.getHeader("authorization")).isEqualTo("Bearer " + ProviderDouble.KEY);
    assertThat(SERVER.sent().path("max_completion_tokens").asInt()).isEqualTo(1000);
    assertThat(SERVER.sent().path("stream_options").path("include_usage").asBoolean()).isTrue();

    SERVER.streams(ModelStreams.SSE, ModelStreams.hello("gemini"));
    SERVER.ask("gemini", question("hi"));
    request = SERVER.requests().getLast();
    assertThat(request.getUrl()).isEqualTo("/v1beta/models/m1:streamGenerateContent?alt=sse");
    assertThat(request.getHeader("x-goog-api-key")).isEqualTo(ProviderDouble.KEY);

    SERVER.streams(ModelStreams.NDJSON, ModelStreams.hello("ollama"));
    SERVER.ask("ollama", question("hi"));
    assertThat(SERVER.requests().getLast().getUrl()).isEqualTo("/api/chat");
    assertThat(SERVER.sent().path("options").path("num_ctx").asInt()).isEqualTo(4096);
    assertThat(SERVER.sent().path("options").path("num_predict").asInt()).isEqualTo(1000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void aStreamWithoutItsEndIsAFailureNeverAnAnswer(String provider) {
    SERVER.streams(ModelStreams.type(provider), ModelStreams.begun(provider));
    Failure failure = SERVER.failure(provider);
    assertThat(failure.code()).isEqualTo(FailureCode.NETWORK);
    assertThat(failure.kind()).isEqualTo(FailureKind.TRANSIENT);
    assertThat(SERVER.deltas()).contains("Hello");
  }

  @Test
  void doneWithoutAReasonIsNoEnd() {
    SERVER.streams(ModelStreams.SSE, ModelStreams.begun("openai") + sse("[DONE]"));
    assertThat(SERVER.failure("openai").code()).isEqualTo(FailureCode.NETWORK);
  }

  @Test
  void whatACutStreamHadUsedIsNotForgotten() {
    SERVER.streams(ModelStreams.SSE, ModelStreams.begun("anthropic"));
    assertThat(UsageFacts.read(SERVER.failure("anthropic"))).isEqualTo(new TokenUsage(12, 1, 0, 0));
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
    SERVER.streams(
        ModelStreams.SSE,
        ModelStreams.begun("anthropic")
            + sse(
                "error|{\"type\":\"error\",\"error\":{\"type\":\""
                    + type
                    + "\",\"message\":\"no\"}}")
            + ModelStreams.anthropicEnd("end_turn"));
    Failure failure = SERVER.failure("anthropic");
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.kind()).isEqualTo(kind);
  }

  @Test
  void errorsInStreamsOfTheOthersAreSeenToo() {
    SERVER.streams(
        ModelStreams.SSE,
        ModelStreams.begun("openai")
            + sse(
                "{\"error\":{\"message\":\"busy\",\"type\":\"service_unavailable_error\",\"code\":\"server_is_overloaded\"}}"));
    assertThat(SERVER.failure("openai").code()).isEqualTo(FailureCode.OVERLOADED);

    SERVER.streams(
        ModelStreams.SSE,
        ModelStreams.begun("gemini")
            + sse(
                "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"slow\","
                    + "\"details\":[{\"@type\":\"RetryInfo\",\"retryDelay\":\"46s\"}]}}"));
    Failure gemini = SERVER.failure("gemini");
    assertThat(gemini.code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(gemini.retryAfter()).isEqualTo(Duration.ofSeconds(46));

    SERVER.streams(
        ModelStreams.NDJSON,
        ModelStreams.begun("ollama") + "{\"error\":\"model runner crashed\"}\n");
    assertThat(SERVER.failure("ollama").code()).isEqualTo(FailureCode.BACKEND_FAILURE);

    SERVER.streams(
        ModelStreams.SSE,
        "data: {\"base_resp\":{\"status_code\":1002,\"status_msg\":\"RPM\"}}\n\n");
    assertThat(SERVER.failure("minimax").code()).isEqualTo(FailureCode.RATE_LIMITED);
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
    SERVER.refuses(200, "{\"base_resp\":{\"status_code\":" + number + ",\"status_msg\":\"no\"}}");
    Failure failure = SERVER.failure("minimax");
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.kind()).isEqualTo(kind);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void anHtmlPageIsAFailure(String provider) {
    SERVER.streams("text/html; charset=utf-8", "<html><body>Please log in</body></html>");
    Failure failure = SERVER.failure(provider);
    assertThat(failure.code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failure.message()).contains("text/html");
    assertThat(SERVER.deltas()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void brokenJsonIsAFailure(String provider) {
    String line =
        provider.equals("ollama") ? "{\"mess\n" : "event: message_start\ndata: {\"mess\n\n";
    SERVER.streams(ModelStreams.type(provider), line);
    assertThat(SERVER.failure(provider).code()).isEqualTo(FailureCode.NETWORK);
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
    SERVER.streams(ModelStreams.type(provider), body);
    assertThat(SERVER.failure(provider).isPassing()).isTrue();
  }

  @Test
  void anEndlessTextIsCutOffCleanly() {
    String part = "x".repeat(500_000);
    StringBuilder body = new StringBuilder(ModelStreams.begun("openai"));
    for (int i = 0; i < 20; i++) {
      body.append(sse("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + part + "\"}}]}"));
    }
    SERVER.streams(ModelStreams.SSE, body.toString());
    Failure failure = SERVER.failure("openai");
    assertThat(failure.kind()).isEqualTo(FailureKind.INVALID);
    assertThat(failure.message()).contains("endless");
  }

  @Test
  void anEventLargerThanMemoryAllowsIsRefused() {
    SERVER.streams(ModelStreams.SSE, "data: " + "x".repeat(9_000_000));
    assertThat(SERVER.failure("openai").kind()).isEqualTo(FailureKind.INVALID);
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
    SERVER.streams(ModelStreams.SSE, body.toString());
    assertThat(SERVER.failure("openai").kind()).isEqualTo(FailureKind.INVALID);
  }

  @Test
  void nulAndHalvesOfCharactersAreTakenOut() throws Exception {
    SERVER.streams(
        ModelStreams.SSE,
        sse(
            "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\\u0000b\\ud83d\"}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\ude00c\\udc00\"}}]}",
            "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}",
            "[DONE]"));
    ModelAnswer answer = SERVER.ask("openai", question("hi"));
    assertThat(answer.message().text()).isEqualTo("ab\uD83D\uDE00c\uFFFD");
    assertThat(String.join("", SERVER.deltas())).isEqualTo("ab\uD83D\uDE00c\uFFFD");
  }

  @Test
  void compressedDataThatNobodyAskedForIsAFailure() {
    SERVER.answers(
        aResponse()
            .withHeader("content-type", "text/event-stream")
            .withHeader("content-encoding", "gzip")
            .withBody("x"));
    assertThat(SERVER.failure("anthropic").message()).contains("compressed");
  }

  @ParameterizedTest
  @CsvSource({
    "CONNECTION_RESET_BY_PEER",
    "EMPTY_RESPONSE",
    "MALFORMED_RESPONSE_CHUNK",
    "RANDOM_DATA_THEN_CLOSE"
  })
  void aBrokenConnectionIsANetworkFailure(Fault fault) {
    SERVER.answers(aResponse().withFault(fault));
    Failure failure = SERVER.failure("anthropic");
    assertThat(failure.code()).isEqualTo(FailureCode.NETWORK);
    assertThat(failure.isPassing()).isTrue();
  }

  @Test
  void aHangEndsAtTheFirstTokenLimit() {
    SERVER.answers(aResponse().withFixedDelay(10_000).withBody("late"));
    assertThat(SERVER.failure("anthropic", Duration.ofMillis(300)).code())
        .isEqualTo(FailureCode.TIMEOUT);
  }

  @Test
  void aStallInAStreamEndsAtTheIdleLimit() {
    SERVER.answers(
        aResponse()
            .withHeader("content-type", "text/event-stream")
            .withChunkedDribbleDelay(4, 8000)
            .withBody(ModelStreams.hello("anthropic")));
    assertThat(SERVER.failure("anthropic", Duration.ofMillis(500)).code())
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
                      SERVER
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
    SERVER.streams(
        ModelStreams.SSE, ModelStreams.anthropicBegun() + ModelStreams.anthropicEnd("refusal"));
    assertThat(SERVER.ask("anthropic", question("hi")).stop()).isEqualTo(StopReason.REFUSED);
    SERVER.streams(
        ModelStreams.SSE, ModelStreams.anthropicBegun() + ModelStreams.anthropicEnd("max_tokens"));
    assertThat(SERVER.ask("anthropic", question("hi")).stop()).isEqualTo(StopReason.LENGTH);
    SERVER.streams(ModelStreams.SSE, sse("{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}"));
    assertThat(SERVER.ask("gemini", question("hi")).stop()).isEqualTo(StopReason.REFUSED);
  }
}
