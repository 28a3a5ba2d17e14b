package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.TurnModel;
import dev.holdfast.tests.harness.TurnModel.Wish;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Agents that are models with tools, in the real jar. */
@Timeout(300)
class ModelAgentTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String PLANS = "/api/v1/plans";

  @AutoClose private static final TurnModel MODEL = new TurnModel(ModelAgentTest::wishes);

  @RegisterExtension static final Served SERVED = Served.alone(ModelAgentTest::configure);

  private final ServerRig rig = SERVED.rig();
  private final AgentScript worker = new AgentScript(rig, "worker");

  @BeforeEach
  void begin() throws IOException {
    worker.forget();
  }

  private static void configure(ServerRig rig) {
    TurnModel _ = MODEL.use(rig.setup());
    rig.setup()
        .set("extensions", List.of(new AgentScript(rig, "worker").declaration()))
        .set("agents.thinker", agent(Map.of("tools", List.of("worker_*"))))
        .set(
            "agents.narrow",
            agent(
                Map.of(
                    "tools",
                    List.of("worker_look"),
                    "max_turns",
                    2,
                    "retry",
                    Map.of("max_attempts", 1))));
  }

  private static Map<String, Object> agent(Map<String, Object> more) {
    Map<String, Object> agent = new HashMap<>(more);
    agent.put("kind", "model");
    agent.put("prompt", "You are thorough.");
    return agent;
  }

  /** A turn named for two actions calls one after the other; {@code slow} ones take 4 s. */
  private static List<Wish> wishes(String turn, int round) {
    String[] actions = turn.split("-", -1);
    if (round >= actions.length) {
      return List.of();
    }
    String action = actions[round].replace("slow", "");
    int sleep = actions[round].startsWith("slow") ? 4 : 0;
    return List.of(new Wish("worker_" + action, Map.of("say", action, "sleep", sleep)));
  }

  private String plan(String agent, String turn) throws IOException {
    Answer answer =
        rig.api()
            .post(
                PLANS,
                Map.of(
                    "agent", agent, "action", "work", "payload", Map.of("goal", "turn " + turn)));
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    return answer.json().path("plan_id").asText();
  }

  private JsonNode awaitState(String plan, String state) {
    return Await.value(
        "the step is " + state,
        LIMIT,
        () ->
            Optional.of(rig.api().get(PLANS + "/" + plan).json().path("steps").path(0))
                .filter(step -> step.path("state").asText().equals(state)));
  }

  private static String text(JsonNode step) {
    return step.path("output").path("text").asText();
  }

  @Test
  void itWorksWithItsTools() throws Exception {
    assertThat(text(awaitState(plan("thinker", "look-keep"), "succeeded")))
        .isEqualTo("done look-keep");
    assertThat(worker.runs()).hasSize(2);
    JsonNode asked = MODEL.asked("look-keep").getFirst().body();
    assertThat(asked.path("system").toString()).contains("You are thorough.");
    assertThat(asked.path("tools")).hasSize(3);
    assertThat(rig.api().get("/api/v1/usage").body()).contains("claude-test");
  }

  @Test
  void aKillAmidItsWorkAsksNoModelTwice() throws Exception {
    String keeps = plan("thinker", "look-slowkeep");
    String acts = plan("thinker", "look-slowact");
    Await.until("their second tools run", LIMIT, () -> worker.runs().size() == 4);
    rig.server().kill9();
    rig.start();
    assertNotAskedTwice(keeps, "look-slowkeep", false);
    assertNotAskedTwice(acts, "look-slowact", true);
    assertThat(worker.runs().stream().filter(run -> run.startsWith("keep"))).hasSize(2);
    assertThat(worker.runs().stream().filter(run -> run.startsWith("act")))
        .as("what is unsafe runs once")
        .hasSize(1);
    assertThat(worker.runs()).hasSize(5);
  }

  private void assertNotAskedTwice(String plan, String turn, boolean isCutOff) {
    assertThat(text(awaitState(plan, "succeeded"))).isEqualTo("done " + turn);
    assertThat(MODEL.asked(turn))
        .as("one call of each round")
        .extracting("round")
        .containsExactly(0, 1, 2);
    assertThat(MODEL.asked(turn).getLast().body().toString().contains("was cut off"))
        .isEqualTo(isCutOff);
  }

  @Test
  void anUnsafeCallIsApprovedFirst() throws Exception {
    rig.setup().set("tools.autonomy", "supervised");
    rig.reload();
    try {
      String plan = plan("thinker", "look-act");
      JsonNode asks = awaitState(plan, "awaiting_input");
      assertThat(asks.path("input").path("question").asText()).contains("May I call worker_act");
      String input = "/api/v1/tasks/" + asks.path("task_id").asText() + "/input";
      assertThat(rig.api().post(input, Map.of("answer", "Allow")).status()).isEqualTo(200);
      assertThat(text(awaitState(plan, "succeeded"))).isEqualTo("done look-act");
      assertThat(worker.runs()).hasSize(2);
      assertThat(MODEL.asked("look-act")).hasSize(3);
    } finally {
      rig.setup().set("tools.autonomy", "full");
      rig.reload();
    }
  }

  @Test
  void itHasLimitsAndOnlyItsTools() throws Exception {
    assertThat(text(awaitState(plan("narrow", "keep"), "succeeded"))).isEqualTo("done keep");
    assertThat(worker.runs()).as("it has no such tool").isEmpty();
    JsonNode lost = awaitState(plan("narrow", "look-look-look-look-look-look"), "dead_lettered");
    assertThat(lost.path("reason").asText()).contains("in 2 turns");
    assertThat(lost.path("attempts")).as("once more with better models").hasSize(2);
  }
}
