package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ThreadCrash;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parts of the server that crash again and again, as if they had a bug. */
@Timeout(300)
class CrashedPartTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  /** Of {@code sysexits.h}: systemd starts anew what ends with it. */
  private static final int GAVE_UP = 70;

  /** Half a minute lies between two modes. */
  private static final int TIME_SCALE = 5;

  private final ServerRig rig = new ServerRig();
  private final ModeView mode = new ModeView(rig);

  private JsonNode part(String name) throws IOException {
    return find(rig.api().get("/api/v1/supervision").json(), name);
  }

  private static JsonNode find(JsonNode node, String name) {
    if (node.path("name").asText().equals(name)) {
      return node;
    }
    for (JsonNode child : node.path("children")) {
      JsonNode found = find(child, name);
      if (!found.isMissingNode()) {
        return found;
      }
    }
    return node.path("nothing");
  }

  private int restarts(String name) throws IOException {
    return part(name).path("restarts").asInt();
  }

  private void restless(int restarts) {
    rig.setup()
        .set("supervision.initial_backoff_ms", 50 * TIME_SCALE)
        .set("supervision.max_backoff_ms", 50 * TIME_SCALE)
        .set("supervision.max_restarts", restarts)
        .set("supervision.repair_secs", 2 * TIME_SCALE)
        .timeScale(TIME_SCALE);
  }

  @Test
  void withoutTasksTheServerIsMinimalAndTalksOn() throws Exception {
    try (rig) {
      restless(1);
      rig.setup().set("extensions", List.of(new AgentScript(rig, "worker").declaration()));
      rig.start();
      Await.until("tasks crash too often", LIMIT, () -> isCrashed("tasks", "ailing"));
      mode.await("minimal", "tasks_down");
      mode.assertShown("minimal");
      mode.awaitIncident("minimal", "warning");
      assertThat(rig.converse("m0", "t", "hello").text()).isEqualTo("echo: hello");
      Answer made = rig.api().post("/api/v1/plans", Map.of("agent", "worker", "action", "look"));
      assertThat(made.status()).as("it waits for better times").isEqualTo(202);

      mode.await("full", "all_well");
      String plan = "/api/v1/plans/" + made.json().path("plan_id").asText();
      Await.until(
          "it was given out",
          LIMIT,
          () -> rig.api().get(plan).json().path("state").asText().equals("succeeded"));
      mode.awaitIncidentsOver();
    }
  }

  /** Crashes it once more, unless it is in that state. */
  private boolean isCrashed(String name, String state) throws IOException {
    if (part(name).path("state").asText().equals(state)) {
      return true;
    }
    ThreadCrash.of(rig, name);
    return false;
  }

  @Test
  void whatWasStartedAfterACrashedPartOfAGroupStartsAgainToo() throws Exception {
    try (rig) {
      restless(5);
      rig.start();
      ThreadCrash.of(rig, "modes");
      Await.until("it is started again", LIMIT, () -> restarts("modes") == 1);
      Await.until("what was started after it too", LIMIT, () -> restarts("incidents") == 1);
      assertThat(restarts("conditions")).as("it was started before").isZero();
      assertThat(part("modes").path("last_failure").path("code").asText())
          .isEqualTo("ACTOR_CRASHED");
      ThreadCrash.of(rig, "conditions");
      Await.until("all of them are", LIMIT, () -> restarts("incidents") == 2);
      assertThat(restarts("conditions")).isOne();
      assertThat(restarts("modes")).isEqualTo(2);
      assertThat(restarts("orchestrator")).as("it is of another group").isZero();
      assertThat(mode.is("full", "all_well")).isTrue();
    }
  }

  @Test
  void aCriticalPartThatCrashesTooOftenEndsTheProcessAndNothingIsLost() throws Exception {
    try (rig) {
      restless(2);
      rig.start();
      rig.converse("m0", "t", "hello");
      ThreadCrash.of(rig, "orchestrator");
      rig.accept("m1", "t", "still there?");
      Await.until("it gives up", LIMIT, this::isGivenUp);
      assertThat(rig.server().exitCode(LIMIT)).isEqualTo(GAVE_UP);
      assertThat(rig.server().output()).contains("orchestrator crashed too often, giving up");
      rig.start();
      rig.platform().awaitText("m1", "echo: still there?", LIMIT);
      assertThat(rig.converse("m2", "t", "and now?").text()).isEqualTo("echo: and now?");
      assertThat(rig.api().get("/api/v1/incidents").body()).contains("gave_up", "orchestrator");
    }
  }

  /** Crashes it once more, unless the process has ended. */
  private boolean isGivenUp() {
    try {
      if (rig.server().isAlive()) {
        ThreadCrash.of(rig, "orchestrator");
      }
    } catch (UncheckedIOException | IllegalStateException e) {
      Await.until("it ends just now: " + e, LIMIT, () -> !rig.server().isAlive());
    }
    return !rig.server().isAlive();
  }
}
