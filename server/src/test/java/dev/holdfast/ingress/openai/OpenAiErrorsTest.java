package dev.holdfast.ingress.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import org.junit.jupiter.api.Test;

class OpenAiErrorsTest {
  private static String said(FailureCode code) {
    return OpenAiErrors.of(
            new CallFailedException(Failure.of(code, "no connection to 10.0.0.7:8443: refused")))
        .said();
  }

  @Test
  void whereAModelIsAndWhatIsWrongThereIsNotTold() {
    assertThat(said(FailureCode.NETWORK)).doesNotContain("10.0.0.7").contains("network");
    assertThat(said(FailureCode.AUTH)).doesNotContain("10.0.0.7").contains("unavailable");
  }

  @Test
  void whatTheClientCanMendIsTold() {
    assertThat(said(FailureCode.INVALID_REQUEST)).contains("10.0.0.7");
  }
}
