package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.time.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MemoryIdempotencyTest {
  private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);

  private final ManualTime time = new ManualTime();
  private final Idempotency idempotency = new MemoryIdempotency(time);

  @Test
  void keepsAnAnswerForADay() throws Exception {
    assertThat(idempotency.begin("k", BODY)).isEmpty();
    idempotency.end("k", 202, "{\"a\":1}");
    time.advance(Duration.ofHours(24));
    assertThat(idempotency.begin("k", BODY)).contains(new Idempotency.Kept(202, "{\"a\":1}"));
    time.advance(Duration.ofSeconds(1));
    assertThat(idempotency.begin("k", BODY)).isEmpty();
  }

  @Test
  void aFailedRequestMayBeTriedAgain() throws Exception {
    idempotency.begin("k", BODY);
    idempotency.end("k", 503, "{}");
    assertThat(idempotency.begin("k", BODY)).isEmpty();
  }

  @Test
  void theSecondOfTwoAtOnceIsRefused() throws Exception {
    idempotency.begin("k", BODY);
    assertThatThrownBy(() -> idempotency.begin("k", BODY))
        .isInstanceOfSatisfying(
            RefusedRequestException.class, e -> assertThat(e.status()).isEqualTo(409));
  }

  @Test
  void isBounded() throws Exception {
    String big = "x".repeat(1024 * 1024);
    for (int i = 0; i < 100; i++) {
      idempotency.begin("k" + i, BODY);
      idempotency.end("k" + i, 200, big);
    }
    assertThat(idempotency.begin("k0", BODY)).as("pushed out").isEmpty();
    assertThat(idempotency.begin("k99", BODY)).isPresent();
  }
}
