package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A start that is refused, as whoever starts the server sees it; RefusedStartTest says when. */
@Timeout(60)
class StartRefusalTest {
  private static final int CONFIGURATION = 78;
  private static final String TOKEN = "a-token-that-the-operator-chose-0123";

  /** Each wrong key is named with its file and line, all at once; a file has the token's line. */
  @Test
  void aWrongConfigurationNamesAllProblemsAndOnceTheyAreSolvedItServes() throws IOException {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("http.host", "0.0.0.0").set("http.prot", 8080).set("turn.timeout_secs", 0);
      assertThat(rig.launch().exitCode(Duration.ofSeconds(10))).isEqualTo(CONFIGURATION);
      assertThat(rig.server().output())
          .contains("holdfast.yaml", "prot", "port", "timeout_secs", "token");
      rig.setup().unset("http").unset("turn").env("HOLDFAST_TOKEN", TOKEN + "\n");
      rig.setup().set("http.port", rig.setup().httpPort()).set("http.host", "0.0.0.0");
      rig.start();
      rig.converse("e1", "t", "hello");
      Map<String, String> bearer = Map.of("authorization", "Bearer " + TOKEN);
      assertThat(new Http().get(rig.setup().url("/api/v1/status"), bearer).status()).isEqualTo(200);
    }
  }
}
