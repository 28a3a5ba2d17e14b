package dev.holdfast.api.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PostOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HttpOutcomeTest {
  private static PostOutcome of(int status) {
    return HttpOutcome.of(status, Map.of("retry-after", List.of("7")), "p1", Instant.EPOCH);
  }

  private static Failure notDelivered(PostOutcome outcome) {
    return ((PostOutcome.NotDelivered) outcome).failure();
  }

  @Test
  void aStatusDecidesWhatBecameOfAPost() {
    for (int status : List.of(200, 201, 202, 204)) {
      assertThat(of(status)).isEqualTo(new PostOutcome.Sent("p1"));
    }
    for (int status : List.of(429, 503, 408, 425)) {
      assertThat(notDelivered(of(status)).kind()).isEqualTo(FailureKind.TRANSIENT);
      assertThat(notDelivered(of(status)).retryAfter()).isEqualTo(Duration.ofSeconds(7));
    }
    for (int status : List.of(401, 402, 403, 404, 410)) {
      assertThat(notDelivered(of(status)).kind()).isEqualTo(FailureKind.PERMANENT);
    }
    for (int status : List.of(300, 301, 302, 303, 304, 307, 308)) {
      assertThat(notDelivered(of(status)).code()).isEqualTo(FailureCode.NETWORK);
      assertThat(notDelivered(of(status)).kind()).isEqualTo(FailureKind.TRANSIENT);
      assertThat(notDelivered(of(status)).message()).contains("must be the final one");
    }
    for (int status : List.of(400, 405, 409, 413, 415, 422)) {
      assertThat(notDelivered(of(status)).kind()).isEqualTo(FailureKind.INVALID);
    }
    for (int status : List.of(500, 501, 502, 504, 520, 599)) {
      assertThat(of(status)).isInstanceOf(PostOutcome.Unknown.class);
    }
  }

  @Test
  void onlyWhatSurelyNeverLeftIsNotDelivered() {
    Failure cut = Failure.of(FailureCode.NETWORK, "cut off");
    assertThat(HttpOutcome.of(new CallFailedException(cut)))
        .isEqualTo(new PostOutcome.Unknown(cut));
    List<Failure> unsent =
        List.of(
            cut.unsent(),
            Failure.of(FailureCode.CIRCUIT_OPEN, "open"),
            Failure.of(FailureCode.BULKHEAD_FULL, "full"));
    for (Failure failure : unsent) {
      assertThat(HttpOutcome.of(new CallFailedException(failure)))
          .isEqualTo(new PostOutcome.NotDelivered(failure));
    }
  }
}
