package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker agent that hangs or swells is started anew, and its tasks go on. */
@Timeout(300)
class HeartbeatTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ServerRig rig = new ServerRig();
  private final String mark = "beat-" + System.nanoTime();

  @AfterEach
  void end() {
    rig.close();
  }

  /** Signs of life each second. */
  private void start(String replayOfWait) throws IOException {
    String script = Files.readString(ExtensionTest.SERVER).replace("${", "$${");
    rig.setup()
        .set("supervision.heartbeat_secs", 1)
        .set("supervision.heartbeat_timeout_secs", 1)
        .set("agents", Map.of("default", Map.of("timeout_secs", 300)))
        .set(
            "extensions",
            List.of(
                Map.of(
                    "id",
                    "demo",
                    "command",
                    List.of("python3", "-c", script, mark),
                    "limits",
                    Map.of("memory_mb", 200),
                    "tools",
                    Map.of(
                        "allow",
                        List.of("echo", "wait", "grow"),
                        "replay",
                        Map.of("echo", "read", "grow", "read", "wait", replayOfWait)))));
    rig.start();
    Await.until("it serves", LIMIT, () -> demo().path("state").asText().equals("ready"));
  }

  private JsonNode demo() throws IOException {
    return rig.api().get("/api/v1/extensions/demo").json();
  }

  private String plan(String action, Map<String, Object> payload) throws IOException {
    Answer answer =
        rig.api()
            .post(
                "/api/v1/plans",
                Map.of("agent", "demo", "action", action, "payload", payload, "wait_secs", 0));
    return answer.json().path("plan_id").asText();
  }

  private JsonNode step(String plan) throws IOException {
    return rig.api().get("/api/v1/plans/" + plan).json().path("steps").path(0);
  }

  private JsonNode ended(String plan, String state) {
    return Await.value(
        "the plan has ended",
        LIMIT,
        () -> {
          JsonNode step = step(plan);
          return step.path("state").asText().equals(state) ? Optional.of(step) : Optional.empty();
        });
  }

  private Path file(String name) {
    return rig.setup().dataDir().resolve("extensions/demo/files").resolve(name);
  }

  /** SIGSTOP, in the middle of a task. */
  private String stoppedInATask() throws Exception {
    String plan = plan("wait", Map.of());
    Await.until("it is at work", LIMIT, () -> Files.exists(file("waiting")));
    for (long pid : ShellRig.processes(mark)) {
      int _ = new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
    }
    Await.until("it was started again", LIMIT, () -> demo().path("restarts").asInt() == 1);
    assertThat(demo().path("last_error").asText()).contains("gives no sign of life");
    return plan;
  }

  private int epoch(String task) throws SQLException {
    String url = "jdbc:sqlite:" + rig.setup().dataDir().resolve("holdfast.db");
    try (Connection database = DriverManager.getConnection(url);
        Statement sql = database.createStatement();
        ResultSet row =
            sql.executeQuery("select epoch from tasks_tasks where id = '" + task + "'")) {
      return row.getInt(1);
    }
  }

  @Test
  void oneThatGivesNoSignOfLifeIsKilledAndItsTaskRunsAgainUnderANewLease() throws Exception {
    start("idempotent");
    String plan = stoppedInATask();
    Files.writeString(file("go"), "");
    JsonNode step = ended(plan, "succeeded");
    assertThat(step.path("attempts")).hasSize(2);
    assertThat(step.path("attempts").path(0).path("code").asText()).isEqualTo("BACKEND_FAILURE");
    assertThat(epoch(step.path("task_id").asText())).isEqualTo(2);
    assertThat(demo().path("restarts").asInt()).isEqualTo(1);
  }

  @Test
  void whatMayHaveBeenDoneDoesNotRunAgain() throws Exception {
    start("unsafe");
    JsonNode step = ended(stoppedInATask(), "dead_lettered");
    assertThat(step.path("attempts")).hasSize(1);
    assertThat(demo().path("restarts").asInt()).isEqualTo(1);
  }

  @Test
  void oneThatSwellsIsStartedAnewBetweenTasks() throws Exception {
    start("idempotent");
    for (int i = 0; i < 2; i++) {
      JsonNode _ = ended(plan("grow", Map.of("mb", 90)), "succeeded");
    }
    Await.until("it was started anew", LIMIT, () -> demo().path("restarts").asInt() == 1);
    assertThat(demo().path("last_error").asText()).contains("90 %");
    JsonNode step = ended(plan("echo", Map.of()), "succeeded");
    assertThat(step.path("attempts")).hasSize(1);
  }
}
