package dev.holdfast.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FailuresTest {
  @Test
  void aRateLimitThatSpeaksOfTokensIsNoOverflow() {
    assertThat(Failures.ofText("prompt is too long: 210000 tokens > 200000 maximum"))
        .contains(FailureCode.CONTEXT_OVERFLOW);
    assertThat(Failures.ofText("Rate limit exceeded: maximum context length tokens a minute"))
        .contains(FailureCode.RATE_LIMITED);
  }

  @ParameterizedTest
  @CsvSource({
    "Connection refused, NETWORK",
    "read timeout after a while, TIMEOUT",
    "the request timed out, TIMEOUT",
    "fork: Resource temporarily unavailable, IO",
    "Too many open files, IO",
    "No space left on device, IO",
    "Overloaded, OVERLOADED"
  })
  void aTextIsTheLastResort(String text, FailureCode code) {
    assertThat(Failures.of(new IllegalStateException(text)).code()).isEqualTo(code);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "429",
        "got 429 and 503",
        "the error 500",
        "timeouts_total",
        "unoverloadedness",
        "read-timeout-ms"
      })
  void bareDigitsAndPartsOfWordsMeanNothing(String text) {
    assertThat(Failures.ofText(text)).isEmpty();
  }

  @Test
  void aTypeDecidesBeforeTheText() {
    assertThat(Failures.of(new SocketTimeoutException("overloaded")).code())
        .isEqualTo(FailureCode.TIMEOUT);
    assertThat(Failures.of(new RuntimeException(new ConnectException("x"))).code())
        .isEqualTo(FailureCode.NETWORK);
    assertThat(
            Failures.of(new FileSystemException("/data", null, "No space left on device")).code())
        .isEqualTo(FailureCode.IO);
    assertThat(Failures.of(new IOException("Connection reset by peer")).code())
        .isEqualTo(FailureCode.NETWORK);
    assertThat(Failures.of(new InterruptedException()).code()).isEqualTo(FailureCode.CANCELLED);
    Failure known = Failure.of(FailureCode.QUOTA, "spent");
    assertThat(Failures.of(new RuntimeException(new CallFailedException(known)))).isSameAs(known);
    assertThat(Failures.of(new NullPointerException()).kind()).isEqualTo(FailureKind.FATAL);
    assertThat(Failures.of(new Exception("odd")).code()).isEqualTo(FailureCode.BACKEND_FAILURE);
  }
}
