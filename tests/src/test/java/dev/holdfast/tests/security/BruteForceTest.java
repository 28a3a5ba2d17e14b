package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ServerRig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row S23: guessing tokens. */
@Timeout(60)
class BruteForceTest {
  @Test
  void manyWrongTokensAreSlowedDown() throws Exception {
    try (ServerRig rig = new ServerRig().start()) {
      Http http = new Http();
      boolean limited = false;
      for (int i = 0; i < 10_000 && !limited; i++) {
        Answer answer =
            http.get(
                rig.setup().url("/api/v1/status"), Map.of("authorization", "Bearer guess-" + i));
        assertThat(answer.status()).isIn(401, 429);
        limited = answer.status() == 429;
        if (limited) {
          assertThat(answer.header("retry-after")).isNotEmpty();
        }
      }
      assertThat(limited).isTrue();
      // The operator sits behind the same address as the guesser, and is not locked out.
      assertThat(rig.api().get("/api/v1/status").status()).isEqualTo(200);
      assertThat(
              http.get(rig.setup().url("/api/v1/status"), Map.of("authorization", "Bearer guess"))
                  .status())
          .isEqualTo(429);
      // Webhooks are not the API: honest platforms go on while someone guesses.
      rig.converse("e1", "t", "hello");
    }
  }
}
