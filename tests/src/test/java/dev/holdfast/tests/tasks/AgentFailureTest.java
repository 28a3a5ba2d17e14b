package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.PlanApi;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What follows when a worker agent fails, in the real jar with real programs. */
@Timeout(300)
class AgentFailureTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Path MCP_SERVER =
      Path.of("../server/src/test/resources/extensions/mcp_server.py");

  /** A rest of a minute is one of 12 s, and what a program may take of 30 s is 6. */
  private static final int SCALE = 5;

  @RegisterExtension static final Served SERVED = Served.alone(rig -> rig.setup().timeScale(SCALE));

  private final ServerRig rig = SERVED.rig();
  private AgentScript worker;

  /** Agents of each test's own: they keep what became of them. */
  @BeforeEach
  void begin() {
    worker = new AgentScript(rig, SERVED.thread());
  }

  private void start(Map<String, Object> agents, AgentScript... scripts) {
    List<Object> declared = new ArrayList<>();
    for (AgentScript script : scripts) {
      declared.add(script.declaration());
    }
    rig.setup().set("extensions", declared).set("agents", agents);
    rig.reload();
  }

  private Answer plan(String action, Map<String, Object> payload, int waitSecs) throws IOException {
    return rig.api()
        .post(
            "/api/v1/plans",
            Map.of(
                "agent", worker.id(), "action", action, "payload", payload, "wait_secs", waitSecs));
  }

  private JsonNode step(Answer answer) throws IOException {
    String id = answer.json().path("plan_id").asText();
    return Await.value(
        "the plan has ended",
        LIMIT,
        () -> {
          JsonNode plan = rig.api().get("/api/v1/plans/" + id).json();
          return plan.path("ended_at").isNull()
              ? Optional.empty()
              : Optional.of(plan.path("steps").path(0));
        });
  }

  private JsonNode agent(String id) throws IOException {
    return new PlanApi(rig).agent(id);
  }

  private static Map<String, Object> quick(int attempts, int threshold, int cooldownMillis) {
    return quick(30, attempts, threshold, cooldownMillis);
  }

  private static Map<String, Object> quick(
      int timeoutSecs, int attempts, int threshold, int cooldownMillis) {
    return Map.of(
        "default",
        Map.of(
            "timeout_secs",
            timeoutSecs,
            "retry",
            Map.of("max_attempts", attempts, "initial_backoff_ms", 50, "max_backoff_ms", 100),
            "circuit_breaker",
            Map.of("failure_threshold", threshold, "cooldown_ms", cooldownMillis)));
  }

  @Test
  void aDeadLetterIsReplayedOnlyWhenItsPlanHasEnded() throws Exception {
    start(quick(1, 100, 60_000), worker);
    Map<String, Object> lost =
        Map.of(
            "name", "lost", "agent", worker.id(), "action", "look", "payload", Map.of("code", 7));
    Map<String, Object> goesOn =
        Map.of(
            "name", "on", "agent", worker.id(), "action", "look", "payload", Map.of("hang", true));
    String plan =
        rig.api()
            .post(PlanApi.PLANS, Map.of("steps", List.of(lost, goesOn)))
            .json()
            .path("plan_id")
            .asText();
    PlanApi plans = new PlanApi(rig);
    String task = plans.awaitState(plan, "dead_lettered", LIMIT).path("task_id").asText();
    String replay = "/api/v1/dead-letters/" + task + "/replay";
    Answer refused = rig.api().post(replay, Map.of());
    assertThat(refused.status()).as(refused.body()).isEqualTo(409);
    assertThat(refused.body()).contains("its plan still runs");

    assertThat(rig.api().post(PlanApi.PLANS + "/" + plan + "/cancel", Map.of()).status())
        .isEqualTo(200);
    Answer replayed = rig.api().post(replay, Map.of());
    assertThat(replayed.status()).as(replayed.body()).isEqualTo(200);
    assertThat(replayed.json().path("replayed").asBoolean()).isTrue();
  }

  /** Requirement 002, sections 1.5 and 2. */
  @Test
  void eachFailureIsMappedAsTheTableSays() throws Exception {
    start(quick(2, 100, 60_000), worker);
    List<Object[]> table =
        List.of(
            new Object[] {Map.of("code", 400), "INVALID_REQUEST", 1},
            new Object[] {Map.of("code", 499, "error", "no"), "INVALID_REQUEST", 1},
            new Object[] {Map.of("code", 501), "ACTION_NOT_SUPPORTED", 1},
            new Object[] {Map.of("code", 504), "TIMEOUT", 2},
            new Object[] {Map.of("code", 503), "BACKEND_FAILURE", 2},
            new Object[] {Map.of("code", 7), "BACKEND_FAILURE", 2},
            new Object[] {Map.of("raw", "garbage"), "BACKEND_FAILURE", 2},
            new Object[] {Map.of("wrong_id", true), "BACKEND_FAILURE", 2},
            new Object[] {Map.of("exit", 1), "BACKEND_FAILURE", 2});
    int failures = 0;
    for (Object[] row : table) {
      @SuppressWarnings("unchecked")
      Map<String, Object> payload = (Map<String, Object>) row[0];
      JsonNode step = step(plan("look", payload, 0));
      assertThat(step.path("state").asText()).as("%s", payload).isEqualTo("dead_lettered");
      assertThat(step.path("code").asText()).as("%s", payload).isEqualTo(row[1]);
      assertThat(step.path("attempts")).as("%s", payload).hasSize((int) row[2]);
      failures += (int) row[2] - 1;
      assertThat(agent(worker.id()).path("consecutive_failures").asInt())
          .as("%s: what the caller did wrong is no failure of the agent", payload)
          .isEqualTo(failures);
    }
    assertThat(step(plan("look", Map.of("code", 500), 0)).path("reason").asText())
        .isEqualTo("agent " + worker.id() + " reported error (code=500)");
  }

  @Test
  void anAttemptThatHangsIsEndedAndTriedAgain() throws Exception {
    start(quick(2, 2, 100, 60_000), worker);
    JsonNode step = step(plan("look", Map.of("hang", true), 0));
    assertThat(step.path("code").asText()).isEqualTo("TIMEOUT");
    assertThat(step.path("reason").asText())
        .isEqualTo("Agent " + worker.id() + " timed out after 2 seconds");
    assertThat(step.path("attempts")).hasSize(2);
    Await.until("no child outlives its attempt", LIMIT, () -> worker.processes().isEmpty());
  }

  private static long millis(JsonNode from, String start, JsonNode to, String end) {
    return Duration.between(
            Instant.parse(from.path(start).asText()), Instant.parse(to.path(end).asText()))
        .toMillis();
  }

  /**
   * Requirement 002, section 2, with its own numbers: the third failure, 60 s. Nothing of a resting
   * agent is started, over a restart too.
   */
  @Test
  void anAgentThatFailsRestsIsTriedAndComesBack() throws Exception {
    start(Map.of("default", Map.of("retry", Map.of("max_attempts", 1))), worker);
    for (int i = 1; i <= 3; i++) {
      JsonNode _ = step(plan("look", Map.of("code", 500), 0));
      assertThat(agent(worker.id()).path("consecutive_failures").asInt()).isEqualTo(i);
    }
    assertThat(agent(worker.id()).path("health").asText()).isEqualTo("unhealthy");
    assertThat(
            millis(agent(worker.id()), "last_failure_at", agent(worker.id()), "circuit_open_until"))
        .isEqualTo(60_000);
    int runs = worker.runs().size();
    Answer refused = plan("look", Map.of(), 0);
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.header("retry-after")).isNotBlank();
    assertThat(refused.body()).contains("AGENT_UNAVAILABLE").contains("temporarily unavailable");
    Await.until(
        "/ready says so",
        LIMIT,
        () ->
            new Http()
                .get(rig.setup().url("/ready"), Map.of())
                .body()
                .contains("agent/" + worker.id()));
    String failed = refused.json().path("error").path("details").path("plan_id").asText();
    assertThat(rig.api().get("/api/v1/plans/" + failed).json().path("state").asText())
        .isEqualTo("failed");

    rig.server().kill9();
    rig.start();
    assertThat(agent(worker.id()).path("health").asText()).isEqualTo("unhealthy");
    Instant until = Instant.parse(agent(worker.id()).path("circuit_open_until").asText());
    if (rig.setup().now().isBefore(until.minusSeconds(1))) {
      assertThat(plan("look", Map.of(), 0).status()).isEqualTo(503);
    }
    assertThat(worker.runs()).as("no process was started").hasSize(runs);

    Await.until("its rest is over", LIMIT, () -> rig.setup().now().isAfter(until));
    assertThat(step(plan("look", Map.of(), 0)).path("state").asText()).isEqualTo("succeeded");
    assertThat(agent(worker.id()).path("health").asText()).isEqualTo("healthy");
    assertThat(agent(worker.id()).path("last_failure_at").asText()).isNotBlank();
  }

  @Test
  void anotherAgentTakesOverWhatABrokenOneCannot() throws Exception {
    AgentScript other = new AgentScript(rig, SERVED.thread() + "-other");
    start(quick(3, 100, 60_000), worker, other);
    JsonNode step = step(plan("look", Map.of("fail_until", 3, "say", "by the other"), 0));
    assertThat(step.path("state").asText()).isEqualTo("succeeded");
    assertThat(step.path("code").asText())
        .as("what failed before is told by its attempts")
        .isEmpty();
    assertThat(step.path("attempts").path(0).path("agent").asText()).isEqualTo(worker.id());

    step = step(plan("look", Map.of("exit", 1), 0));
    assertThat(step.path("state").asText()).isEqualTo("dead_lettered");
    assertThat(step.path("agent").asText()).isEqualTo(other.id());
    assertThat(step.path("attempts")).as("three of each").hasSize(6);

    int runs = worker.runs().size() + other.runs().size();
    step = step(plan("act", Map.of("exit", 1), 0));
    assertThat(step.path("state").asText()).isEqualTo("dead_lettered");
    assertThat(worker.runs().size() + other.runs().size())
        .as("what may have been done does not run again")
        .isEqualTo(runs + 1);
  }

  @Test
  void aResetEndsTheRest() throws Exception {
    start(quick(1, 1, 600_000), worker);
    JsonNode _ = step(plan("look", Map.of("code", 500), 0));
    assertThat(plan("look", Map.of(), 0).status()).isEqualTo(503);
    assertThat(rig.api().post("/api/v1/agents/" + worker.id() + "/reset", Map.of()).status())
        .isEqualTo(200);
    assertThat(step(plan("look", Map.of(), 0)).path("state").asText()).isEqualTo("succeeded");
    Answer invalid =
        rig.api()
            .post(
                "/api/v1/plans",
                Map.of(
                    "steps",
                    List.of(
                        Map.of("name", "a", "agent", worker.id(), "action", "fly"),
                        Map.of("name", "b", "agent", "nobody", "action", "look"))));
    assertThat(invalid.status()).isEqualTo(400);
    assertThat(invalid.json().path("error").path("details").path("problems")).hasSize(2);
  }

  @Test
  void withoutAModelItsProcessStartsAnewBetweenItsCalls() throws Exception {
    String script = Files.readString(MCP_SERVER).replace("${", "$${");
    String id = worker.id();
    rig.setup()
        .set(
            "extensions",
            List.of(
                Map.of(
                    "id",
                    id,
                    "command",
                    List.of(Commands.PYTHON, "-c", script),
                    "tools",
                    Map.of("allow", List.of("echo", "hang"), "replay", Map.of("hang", "read")))))
        .set("agents", quick(2, 1, 1000, 60_000));
    rig.reload();
    Await.until("it serves", LIMIT, () -> agent(id).path("actions").size() == 2);
    for (int i = 0; i < 10; i++) {
      JsonNode _ = plan("hang", Map.of(), 0).json();
    }
    Await.until(
        "it is decided",
        LIMIT,
        () -> agent(id).path("review").path("decision").asText().equals("restart"));
    assertThat(agent(id).path("review").path("by").asText()).isEqualTo("rule");
    Await.until(
        "it was started anew",
        LIMIT,
        () -> rig.api().get("/api/v1/extensions/" + id).json().path("restarts").asInt() == 1);
    assertThat(agent(id).path("recent_results").asInt()).as("counted anew").isLessThan(10);
  }
}
