package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.PlanApi;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker agent that hangs or swells is started anew, and its tasks go on. */
@Timeout(300)
class HeartbeatTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String MARK = "beat-" + System.nanoTime();

  @RegisterExtension static final Served SERVED = Served.alone(HeartbeatTest::configure);

  private final ServerRig rig = SERVED.rig();

  /** Signs of life each second; an agent for each test. */
  private static void configure(ServerRig rig) {
    rig.setup()
        .set("supervision.heartbeat_secs", 1)
        .set("supervision.heartbeat_timeout_secs", 1)
        .set("agents", Map.of("default", Map.of("timeout_secs", 300)))
        .set(
            "extensions",
            List.of(
                agent("repeats", "idempotent"),
                agent("acts", "unsafe"),
                agent("swells", "idempotent")));
  }

  private static Map<String, Object> agent(String id, String replayOfWait) {
    return Map.of(
        "id",
        id,
        "command",
        List.of(Commands.PYTHON, "-c", script(), mark(id)),
        "limits",
        Map.of("memory_mb", 200),
        "tools",
        Map.of(
            "allow",
            List.of("echo", "wait", "grow"),
            "replay",
            Map.of("echo", "read", "grow", "read", "wait", replayOfWait)));
  }

  private static String script() {
    try {
      return Files.readString(ExtensionTest.SERVER).replace("${", "$${");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stands in the command lines of its processes alone. */
  private static String mark(String id) {
    return MARK + "-" + id;
  }

  private JsonNode agent(String id) throws IOException {
    return rig.api().get("/api/v1/extensions/" + id).json();
  }

  private void awaitReady(String id) {
    Await.until("it serves", LIMIT, () -> agent(id).path("state").asText().equals("ready"));
  }

  private JsonNode ended(String plan, String state) {
    return new PlanApi(rig).awaitState(plan, state, LIMIT);
  }

  private Path file(String id, String name) {
    return rig.setup().dataDir().resolve("extensions").resolve(id).resolve("files").resolve(name);
  }

  /** SIGSTOP, in the middle of a task. */
  private String stoppedInATask(String id) throws Exception {
    awaitReady(id);
    String plan = new PlanApi(rig).make(id, "wait", Map.of());
    Await.until("it is at work", LIMIT, () -> Files.exists(file(id, "waiting")));
    for (long pid : ShellRig.processes(mark(id))) {
      int _ = new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
    }
    return plan;
  }

  private void awaitStartedAgain(String id) throws IOException {
    Await.until("it was started again", LIMIT, () -> agent(id).path("restarts").asInt() == 1);
    assertThat(agent(id).path("last_error").asText()).contains("gives no sign of life");
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

  /** But not what may have been done and may not be repeated. */
  @Test
  void oneThatGivesNoSignOfLifeIsKilledAndItsTaskRunsAgainUnderANewLease() throws Exception {
    String plan = stoppedInATask("repeats");
    String once = stoppedInATask("acts");
    awaitStartedAgain("repeats");
    awaitStartedAgain("acts");
    Files.writeString(file("repeats", "go"), "");
    JsonNode step = ended(plan, "succeeded");
    assertThat(step.path("attempts")).hasSize(2);
    assertThat(step.path("attempts").path(0).path("code").asText()).isEqualTo("BACKEND_FAILURE");
    assertThat(epoch(step.path("task_id").asText())).isEqualTo(2);
    assertThat(agent("repeats").path("restarts").asInt()).isEqualTo(1);
    assertThat(ended(once, "dead_lettered").path("attempts")).hasSize(1);
    assertThat(agent("acts").path("restarts").asInt()).isEqualTo(1);
  }

  @Test
  void oneThatSwellsIsStartedAnewBetweenTasks() throws Exception {
    awaitReady("swells");
    for (int i = 0; i < 2; i++) {
      JsonNode _ = ended(new PlanApi(rig).make("swells", "grow", Map.of("mb", 90)), "succeeded");
    }
    Await.until("it was started anew", LIMIT, () -> agent("swells").path("restarts").asInt() == 1);
    assertThat(agent("swells").path("last_error").asText()).contains("90 %");
    JsonNode step = ended(new PlanApi(rig).make("swells", "echo", Map.of()), "succeeded");
    assertThat(step.path("attempts")).hasSize(1);
  }
}
