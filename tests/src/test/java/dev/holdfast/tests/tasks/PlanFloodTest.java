package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.PlanApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * More plans than the heap would hold: each is on disk, what is beyond the limit is refused, and
 * chat goes on.
 */
@Timeout(600)
class PlanFloodTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int STEPS = 10;
  private static final int OPEN_MAX = 2 + 150 * STEPS;
  private static final int PAYLOAD_CHARS = 65_000;

  @Test
  void plansAreKeptUpToTheirLimitAndChatGoesOn() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      AgentScript slow = new AgentScript(rig, "slow");
      rig.setup()
          .heap("-Xmx96m")
          .set("extensions", List.of(slow.declaration()))
          .set("agents.slow.timeout_secs", 600)
          .set("tasks", Map.of("max_running", 2, "max_open", OPEN_MAX));
      rig.start();
      PlanApi plans = new PlanApi(rig);
      Map<String, Object> hangs = Map.of("hang", true);
      List<String> running =
          List.of(plans.make("slow", "look", hangs), plans.make("slow", "look", hangs));
      running.forEach(plan -> plans.awaitState(plan, "in_progress", LIMIT));
      String last = "";
      for (int open = running.size(); open < OPEN_MAX; open += STEPS) {
        Answer made = rig.api().post(PlanApi.PLANS, Map.of("steps", steps()));
        assertThat(made.status()).as(made.body()).isEqualTo(202);
        last = made.json().path("plan_id").asText();
      }
      assertRefused(rig);
      rig.converse("before", "t", "hello amid plans");

      rig.restart();
      rig.converse("after", "t", "hello after a kill");
      assertThat(rig.metrics().sum("holdfast_tasks_open")).isEqualTo(OPEN_MAX);
      assertRefused(rig);
      for (String shown : List.of("plans", "tasks", "plans?state=open", "tasks?state=queued")) {
        assertThat(rig.api().get("/api/v1/" + shown).status()).as(shown).isEqualTo(200);
      }
      for (String plan : List.of(running.getFirst(), last)) {
        Answer cancelled = rig.api().post(PlanApi.PLANS + "/" + plan + "/cancel", Map.of());
        assertThat(cancelled.isAccepted()).as(cancelled.body()).isTrue();
        JsonNode _ = plans.awaitState(plan, "cancelled", LIMIT);
      }
      assertThat(rig.server().isAlive()).isTrue();
    }
  }

  /** They do not need each other, and each has as large a payload as may be. */
  private static List<Map<String, Object>> steps() {
    Map<String, Object> large = Map.of("say", "x".repeat(PAYLOAD_CHARS));
    return IntStream.range(0, STEPS)
        .mapToObj(
            number ->
                Map.<String, Object>of(
                    "name", "s" + number, "agent", "slow", "action", "look", "payload", large))
        .toList();
  }

  private static void assertRefused(ServerRig rig) throws IOException {
    Answer more =
        rig.api().post(PlanApi.PLANS, Map.of("agent", "slow", "action", "look", "wait_secs", 0));
    assertThat(more.status()).as(more.body()).isEqualTo(503);
    assertThat(more.header("Retry-After")).isNotEmpty();
    assertThat(more.body()).contains(Integer.toString(OPEN_MAX));
  }
}
