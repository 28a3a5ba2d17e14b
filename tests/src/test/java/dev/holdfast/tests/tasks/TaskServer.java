package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * One server for the tests of tasks and plans: the embedded model talks in chats, the fake one
 * writes and judges plans. Its agents are {@code worker}, and {@code checked}, which can look at
 * what became of a task.
 */
final class TaskServer {
  /** The {@code @ResourceLock} of those who use it. */
  static final String LOCK = "the server of tasks";

  /** Agents have a quarter of their 30 s, and a changed configuration is seen sooner. */
  private static final int SCALE = 4;

  static final Served SERVED = Served.sharedWithModel(TaskServer::configure);

  private TaskServer() {}

  private static void configure(ServerRig rig) {
    List<String> fake = List.of("openai/gpt-test");
    List<String> embedded = List.of("embedded/echo");
    rig.setup()
        .timeScale(SCALE)
        .set("models.levels", Map.of("operational", embedded, "tactical", fake, "strategic", fake))
        .set(
            "extensions",
            List.of(
                new AgentScript(rig, "worker").declaration(),
                new AgentScript(rig, "checked").checkable()));
  }

  /** One of its agents that has done nothing yet; nobody else has a task meanwhile. */
  static AgentScript agent(String id) throws IOException {
    ServerRig rig = SERVED.rig();
    AgentScript agent = new AgentScript(rig, id);
    agent.forget();
    assertThat(rig.api().post("/api/v1/agents/" + id + "/reset", Map.of()).status()).isEqualTo(200);
    assertThat(rig.api().get("/api/v1/tasks").json().path("tasks")).isEmpty();
    return agent;
  }

  /** What models may do by themselves, from now on. */
  static void autonomy(String autonomy) {
    SERVED.rig().setup().set("tools.autonomy", autonomy);
    SERVED.rig().reload();
  }
}
