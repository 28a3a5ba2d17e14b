package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Strace;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The modes of a server of which a part fails: by that part, and back when it works again. */
@Timeout(600)
class FailedPartModeTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** A minute until the server stops itself, and half of one between two modes. */
  private static final int TIME_SCALE = 5;

  private static final String READ_ONLY = "pwrite64,ftruncate:error=EROFS";

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              rig.setup()
                  .set("extensions", List.of(new AgentScript(rig, "worker").declaration()))
                  .set("agents", restless())
                  .timeScale(TIME_SCALE));

  private final ServerRig rig = SERVED.rig();
  private final ModeView mode = new ModeView(rig);

  private static Map<String, Object> restless() {
    return Map.of(
        "default",
        Map.of(
            "retry",
            Map.of("max_attempts", 1),
            "circuit_breaker",
            Map.of("failure_threshold", 1, "cooldown_ms", 5_000)));
  }

  private Answer plan(Map<String, Object> payload) throws IOException {
    return rig.api()
        .post("/api/v1/plans", Map.of("agent", "worker", "action", "look", "payload", payload));
  }

  private void awaitPlan(Answer made, String state) {
    Await.until(
        "the plan is " + state,
        LIMIT,
        () ->
            rig.api()
                .get("/api/v1/plans/" + made.json().path("plan_id").asText())
                .json()
                .path("state")
                .asText()
                .equals(state));
  }

  @Test
  void anAgentThatGaveUpIsMissingAndOthersCover() throws Exception {
    awaitPlan(plan(Map.of("code", 500)), "failed");
    mode.await("reduced_agents", "workers_given_up");
    mode.assertShown("reduced_agents");
    assertThat(mode.now().path("reason").asText()).contains("worker");
    mode.awaitIncident("reduced_agents", "warning");
    assertThat(rig.converse(SERVED.thread(), "t", "hello").text()).contains("hello");
    Await.until("its rest is over", LIMIT, () -> plan(Map.of()).status() == 202);
    mode.await("full", "all_well");
    mode.awaitIncidentsOver();
  }

  @Test
  void whileTheStoreTakesNothingTheServerIsMinimal() throws Exception {
    rig.converse(SERVED.thread(), "t", "hello");
    try (Strace strace = Strace.attach(rig.server(), rig.folder(), READ_ONLY)) {
      Await.until("minimal", LIMIT, () -> isAfterMessage(mode, "minimal", "part_down"));
      mode.assertShown("minimal");
      assertThat(mode.now().path("reason").asText()).contains("store");
      assertThat(strace.hits()).as("the fault hit").isPositive();
    }
    mode.await("full", "all_well");
    assertThat(rig.converse(SERVED.thread() + "m1", "t", "and now?").text()).contains("and now?");
    mode.awaitIncident("minimal", "warning");
    mode.awaitIncidentsOver();
  }

  /** The store hears of its disk by what is written. */
  private static boolean isAfterMessage(ModeView mode, String is, String rule) throws IOException {
    assertThat(mode.rig().sender().send("refused", "t", "any room?").status()).isEqualTo(503);
    return mode.is(is, rule);
  }

  private static long shown(ServerRig rig, String id, String words) {
    return rig.platform().shownFor(id).stream().filter(post -> post.text().contains(words)).count();
  }

  @Test
  void twoCriticalPartsThatFailForAMinuteStopTheServerUntilAPersonLetsItGoOn() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      ModeView mode = new ModeView(rig);
      rig.setup()
          .timeScale(TIME_SCALE)
          .set("breakers.default.initial_backoff_ms", 1_000)
          .set("breakers.default.max_backoff_ms", 2_000)
          .set("models.retry.server_error.initial_backoff_ms", 200);
      rig.start();
      rig.converse("m0", "t", "hello");
      model.refuse();
      rig.accept("m1", "t", "are you there?");
      mode.await("minimal", "models_unavailable");
      rig.api().awaitState("m1", Set.of("parked"), LIMIT);
      try (Strace strace = Strace.attach(rig.server(), rig.folder(), READ_ONLY)) {
        Await.until("safe", LIMIT, () -> isAfterMessage(mode, "safe", "critical_parts_down"));
        mode.assertShown("safe");
        assertThat(strace.hits()).as("the fault hit").isPositive();
      }
      model.accept();
      Await.until("ready", LIMIT, () -> rig.server().isReady());
      int asked = model.requests().size();
      rig.accept("m2", "u", "and you?");
      rig.platform().awaitText("m2", "Too many of my parts have failed", LIMIT);
      Await.throughout(
          "what works again changes nothing",
          Duration.ofSeconds(35).dividedBy(TIME_SCALE),
          () -> mode.is("safe", "critical_parts_down") && model.requests().size() == asked);
      mode.awaitIncident("safe", "critical");

      rig.restart();
      assertThat(mode.is("safe", "critical_parts_down")).as("a restart is no person").isTrue();
      assertThat(mode.set("auto", "the disk was replaced").path("mode").asText())
          .isNotEqualTo("safe");
      rig.platform().awaitText("m1", "answer to are you there?", LIMIT);
      rig.platform().awaitText("m2", "answer to and you?", LIMIT);
      // Behind m1, which asks first whether a model is back, it may be told of that outage too.
      assertThat(shown(rig, "m2", "Too many of my parts")).as("told once").isOne();
      assertThat(shown(rig, "m2", "answer to")).as("answered once").isOne();
      mode.await("full", "all_well");
      mode.awaitIncidentsOver();
    }
  }
}
