package dev.holdfast.models;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ProviderErrorTest {
  @AutoClose private static final ProviderDouble SERVER = new ProviderDouble();

  private static void assertRefused(
      String provider, int status, String body, FailureCode code, FailureKind kind) {
    SERVER.refuses(status, body);
    Failure failure = SERVER.failure(provider);
    assertThat(failure.code()).as(failure.message()).isEqualTo(code);
    assertThat(failure.kind()).as(failure.message()).isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource({
    "400, invalid_request_error, INVALID_REQUEST, INVALID",
    "401, authentication_error, AUTH, PERMANENT",
    "402, billing_error, QUOTA, PERMANENT",
    "403, permission_error, AUTH, PERMANENT",
    "404, not_found_error, INVALID_REQUEST, PERMANENT",
    "408, timeout_error, TIMEOUT, TRANSIENT",
    "409, conflict_error, BACKEND_FAILURE, TRANSIENT",
    "413, request_too_large, INVALID_REQUEST, INVALID",
    "422, invalid_request_error, INVALID_REQUEST, INVALID",
    "429, rate_limit_error, RATE_LIMITED, TRANSIENT",
    "500, api_error, BACKEND_FAILURE, TRANSIENT",
    "502, api_error, BACKEND_FAILURE, TRANSIENT",
    "503, api_error, OVERLOADED, TRANSIENT",
    "504, timeout_error, TIMEOUT, TRANSIENT",
    "529, overloaded_error, OVERLOADED, TRANSIENT",
    "302, moved, INVALID_REQUEST, PERMANENT"
  })
  void aStatusIsSortedTheSameForEveryProvider(
      int status, String type, FailureCode code, FailureKind kind) {
    String body = "{\"type\":\"error\",\"error\":{\"type\":\"" + type + "\",\"message\":\"no\"}}";
    for (String provider : new String[] {"anthropic", "minimax", "openai", "gemini", "ollama"}) {
      assertRefused(provider, status, body, code, kind);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded"
      })
  void a429OfOpenAiThatNoWaitHelpsIsPermanent(String code) {
    assertRefused(
        "openai",
        429,
        "{\"error\":{\"message\":\"You exceeded your"
            + " quota\",\"type\":\"insufficient_quota\",\"code\":\""
            + code
            + "\"}}",
        FailureCode.QUOTA,
        FailureKind.PERMANENT);
  }

  @Test
  void a429OfTheOthersThatNoWaitHelpsIsPermanentToo() {
    assertRefused(
        "anthropic",
        429,
        "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"limit\",\"details\":{\"error_code\":\"enforced_spend_limit_reached\"}}}",
        FailureCode.QUOTA,
        FailureKind.PERMANENT);
    assertRefused(
        "anthropic",
        429,
        "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"limit\",\"details\":{\"error_code\":\"ramp_limit_exceeded\"}}}",
        FailureCode.RATE_LIMITED,
        FailureKind.TRANSIENT);
    assertRefused(
        "gemini",
        429,
        "{\"error\":{\"code\":429,\"message\":\"quota\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"violations\":[{\"quotaId\":\"GenerateRequestsPerDayPerProject\"}]}]}}",
        FailureCode.QUOTA,
        FailureKind.PERMANENT);
    assertRefused(
        "anthropic",
        400,
        "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"You have"
            + " reached your specified API usage limits.\"}}",
        FailureCode.QUOTA,
        FailureKind.PERMANENT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          anthropic | prompt is too long: 300000 tokens > 200000 maximum
          anthropic | input length and `max_tokens` exceed context limit: 1 + 2 > 3
          openai    | This model's maximum context length is 128000 tokens
          gemini    | The input token count (2) exceeds the maximum number of tokens allowed (1)
          minimax   | context window exceeds limit
          ollama    | the input length exceeds the context length
          """)
  void anOverflowIsRecognized(String provider, String message) {
    assertRefused(
        provider,
        400,
        "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"" + message + "\"}}",
        FailureCode.CONTEXT_OVERFLOW,
        FailureKind.INVALID);
    assertRefused(
        provider,
        429,
        "{\"error\":{\"message\":\"" + message + "\"}}",
        FailureCode.RATE_LIMITED,
        FailureKind.TRANSIENT);
  }

  @Test
  void theOverflowOfOllamaIsAPlainText() {
    assertRefused(
        "ollama",
        400,
        "{\"error\":\"the input length exceeds the context length\"}",
        FailureCode.CONTEXT_OVERFLOW,
        FailureKind.INVALID);
    assertRefused(
        "ollama",
        404,
        "{\"error\":\"model 'm1' not found\"}",
        FailureCode.INVALID_REQUEST,
        FailureKind.PERMANENT);
  }

  @Test
  void aBadKeyOfGeminiComesAs400() {
    assertRefused(
        "gemini",
        400,
        "{\"error\":{\"code\":400,\"message\":\"API key not"
            + " valid.\",\"status\":\"INVALID_ARGUMENT\",\"details\":[{\"reason\":\"API_KEY_INVALID\"}]}}",
        FailureCode.AUTH,
        FailureKind.PERMANENT);
  }

  @ParameterizedTest
  @CsvSource({"5, 5", "0, 0", "3600, 3600", "soon, 0", "-1, 0", "1.5, 1"})
  void theWaitIsReadFromTheHeader(String header, long seconds) {
    SERVER.answers(aResponse().withStatus(429).withHeader("Retry-After", header));
    assertThat(SERVER.failure("anthropic").retryAfter().toSeconds()).isEqualTo(seconds);
  }

  @Test
  void theWaitMayBeADateOrStandInTheBody() {
    SERVER.answers(
        aResponse().withStatus(529).withHeader("Retry-After", "Fri, 31 Dec 2100 23:59:59 GMT"));
    assertThat(SERVER.failure("anthropic").retryAfter()).isGreaterThan(Duration.ofDays(1));
    SERVER.refuses(
        429,
        "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"slow\",\"details\":[{\"retryDelay\":\"46.5s\"}]}}");
    assertThat(SERVER.failure("gemini").retryAfter()).isEqualTo(Duration.ofMillis(46_500));
  }

  @Test
  void theProviderMaySayThatNoRetryHelps() {
    SERVER.answers(aResponse().withStatus(500).withHeader("x-should-retry", "false"));
    assertThat(SERVER.failure("anthropic").kind()).isEqualTo(FailureKind.PERMANENT);
  }

  @Test
  void noKeyIsEverRepeated() {
    SERVER.refuses(
        401,
        "{\"error\":{\"message\":\"Incorrect API key: "
            + ProviderDouble.KEY
            + " or sk-ab***yz\\nsee docs\",\"code\":\"invalid_api_key\"}}");
    Failure failure = SERVER.failure("openai");
    assertThat(failure.message())
        .doesNotContain(ProviderDouble.KEY)
        .doesNotContain("sk-ab")
        .doesNotContain("\n");
    assertThat(failure.code()).isEqualTo(FailureCode.AUTH);
  }

  @Test
  void anErrorPageOfAProxyIsSortedByItsStatus() {
    SERVER.answers(
        aResponse()
            .withStatus(502)
            .withHeader("content-type", "text/html")
            .withBody("<html>Bad gateway"));
    assertThat(SERVER.failure("openai").code()).isEqualTo(FailureCode.BACKEND_FAILURE);
  }
}
