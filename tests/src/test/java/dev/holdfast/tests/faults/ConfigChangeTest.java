package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The configuration is changed while the server runs: what it says of that is what it does. */
@Timeout(120)
class ConfigChangeTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Test
  void autonomyIsLiveAndABudgetWaitsForARestartAsReadySays() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      String call = "!tool history {\"query\":\"nothing\"}";
      String echoed = "echo: " + call; // as the model does that has no tools
      assertThat(rig.converse("m1", "t", call).text()).isNotEqualTo(echoed);
      rig.setup()
          .set("tools.autonomy", "manual")
          .set("models.budget.per_thread_daily_messages", 1)
          .write();
      Await.until("/ready names what waits", LIMIT, () -> ready(rig).contains("restart"));
      assertThat(ready(rig)).contains("models").doesNotContain("tools", "autonomy");
      assertThat(rig.converse("m2", "t", call).text()).isEqualTo(echoed);
      JsonNode budget = rig.api().get("/api/v1/usage").json().path("budget");
      assertThat(budget.path("per_thread_daily_messages").asInt()).isZero();
      rig.setup().set("tools.autonomy", "full").write();
      Await.until(
          "tools are back",
          LIMIT,
          () ->
              !rig.converse("u" + rig.platform().posts().size(), "u", call).text().equals(echoed));
      rig.restart();
      assertThat(ready(rig)).doesNotContain("restart");
      budget = rig.api().get("/api/v1/usage").json().path("budget");
      assertThat(budget.path("per_thread_daily_messages").asInt()).isEqualTo(1);
      assertThat(rig.converse("last", "t", "hello").text()).contains("reached its limit");
    }
  }

  private static String ready(ServerRig rig) throws Exception {
    Answer answer = new Http().get(rig.setup().url("/ready"), Map.of());
    assertThat(answer.status()).isEqualTo(200);
    return answer.body();
  }
}
