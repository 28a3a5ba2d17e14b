package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.TurnModel;
import dev.holdfast.tests.harness.TurnModel.Wish;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that are models with tools, in the real jar. */
@Timeout(300)
class ModelAgentTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String PLANS = "/api/v1/plans";

  private final ServerRig rig = new ServerRig();
  private final AgentScript worker = new AgentScript(rig, "worker");
  private final TurnModel model = new TurnModel(ModelAgentTest::wishes).use(rig.setup());

  @AfterEach
  void end() {
    rig.close();
    model.close();
  }

  /** A turn named for two actions calls one after the other; {@code slow} ones take 8 s. */
  private static List<Wish> wishes(String turn, int round) {
    String[] actions = turn.split("-", -1);
    if (round >= actions.length) {
      return List.of();
    }
    String action = actions[round].replace("slow", "");
    int sleep = actions[round].startsWith("slow") ? 8 : 0;
    return List.of(new Wish("worker_" + action, Map.of("say", action, "sleep", sleep)));
  }

  private void start(Map<String, Object> more) {
    Map<String, Object> agent = new java.util.HashMap<>(more);
    agent.put("kind", "model");
    agent.put("prompt", "You are thorough.");
    agent.putIfAbsent("tools", List.of("worker_*"));
    rig.setup()
        .set("extensions", List.of(worker.declaration()))
        .set("agents", Map.of("thinker", agent));
    rig.start();
  }

  private String plan(String turn) throws IOException {
    Answer answer =
        rig.api()
            .post(
                PLANS,
                Map.of(
                    "agent",
                    "thinker",
                    "action",
                    "work",
                    "payload",
                    Map.of("goal", "turn " + turn)));
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
    start(Map.of());
    assertThat(text(awaitState(plan("look-keep"), "succeeded"))).isEqualTo("done look-keep");
    assertThat(worker.runs()).hasSize(2);
    JsonNode asked = model.asked("look-keep").getFirst().body();
    assertThat(asked.path("system").toString()).contains("You are thorough.");
    assertThat(asked.path("tools")).hasSize(3);
    assertThat(rig.api().get("/api/v1/usage").body()).contains("claude-test");
  }

  @ParameterizedTest
  @ValueSource(strings = {"look-slowkeep", "look-slowact"})
  void aKillAmidItsWorkAsksNoModelTwice(String turn) throws Exception {
    start(Map.of());
    String plan = plan(turn);
    Await.until("its second tool runs", LIMIT, () -> worker.runs().size() == 2);
    rig.server().kill9();
    rig.start();
    assertThat(text(awaitState(plan, "succeeded"))).isEqualTo("done " + turn);
    assertThat(model.asked(turn))
        .as("one call of each round")
        .extracting("round")
        .containsExactly(0, 1, 2);
    boolean unsafe = turn.endsWith("act");
    assertThat(worker.runs()).as("what is unsafe runs once").hasSize(unsafe ? 2 : 3);
    assertThat(model.asked(turn).getLast().body().toString().contains("was cut off"))
        .isEqualTo(unsafe);
  }

  @Test
  void anUnsafeCallIsApprovedFirst() throws Exception {
    rig.setup().set("tools.autonomy", "supervised");
    start(Map.of());
    String plan = plan("look-act");
    JsonNode asks = awaitState(plan, "awaiting_input");
    assertThat(asks.path("input").path("question").asText()).contains("May I call worker_act");
    String input = "/api/v1/tasks/" + asks.path("task_id").asText() + "/input";
    assertThat(rig.api().post(input, Map.of("answer", "Allow")).status()).isEqualTo(200);
    assertThat(text(awaitState(plan, "succeeded"))).isEqualTo("done look-act");
    assertThat(worker.runs()).hasSize(2);
    assertThat(model.asked("look-act")).hasSize(3);
  }

  @Test
  void itHasLimitsAndOnlyItsTools() throws Exception {
    start(
        Map.of(
            "tools", List.of("worker_look"), "max_turns", 2, "retry", Map.of("max_attempts", 1)));
    assertThat(text(awaitState(plan("keep"), "succeeded"))).isEqualTo("done keep");
    assertThat(worker.runs()).as("it has no such tool").isEmpty();
    JsonNode lost = awaitState(plan("look-look-look-look-look-look"), "dead_lettered");
    assertThat(lost.path("reason").asText()).contains("in 2 turns");
    assertThat(lost.path("attempts")).as("once more with better models").hasSize(2);
  }
}
