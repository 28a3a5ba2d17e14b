package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Http;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Row S23: guessing tokens. */
class BruteForceTest extends SharedServer {
  /** Elsewhere than the other tests, whose wrong tokens would be slowed down too. */
  private final Http guesser = new Http("127.0.0.7");

  @Test
  void manyWrongTokensAreSlowedDown() throws IOException {
    assertThat(guess("first").status()).isEqualTo(401);
    boolean limited = false;
    for (int i = 0; i < 10_000 && !limited; i++) {
      Answer answer = guess("guess-" + i);
      assertThat(answer.status()).isIn(401, 429);
      limited = answer.status() == 429;
      if (limited) {
        assertThat(answer.header("retry-after")).isNotEmpty();
      }
    }
    assertThat(limited).isTrue();
    // The operator sits behind the same address as the guesser, and is not locked out.
    assertThat(guess(rig.api().token()).status()).isEqualTo(200);
    assertThat(guess("guess").status()).isEqualTo(429);
    // Webhooks are not the API: honest platforms go on while someone guesses.
    rig.converse("while-guessing", "t", "hello");
  }

  private Answer guess(String token) throws IOException {
    return guesser.get(
        rig.setup().url("/api/v1/status"), Map.of("authorization", "Bearer " + token));
  }
}
