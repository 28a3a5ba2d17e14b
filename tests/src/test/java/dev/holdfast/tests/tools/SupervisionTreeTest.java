package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import dev.holdfast.tests.harness.StoreFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The parts of the running server, as an operator sees them. */
@Timeout(300)
class SupervisionTreeTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final List<String> PLAN_PARTS =
      List.of("tasks", "planning", "plan-notices", "agent-reviews");

  private static JsonNode child(JsonNode node, String name) {
    return StreamSupport.stream(node.path("children").spliterator(), false)
        .filter(child -> child.path("name").asText().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not among " + node));
  }

  private static JsonNode tree(ServerRig rig) throws IOException {
    return rig.api().get("/api/v1/supervision").json();
  }

  @Test
  void itShowsWhatCrashedAndWhatWatchesOverIt() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      String mark = "tree-" + System.nanoTime();
      rig.setup().set("extensions", List.of(ExtensionTest.python("demo", mark)));
      rig.start();
      Await.until(
          "demo serves",
          LIMIT,
          () ->
              child(child(tree(rig), "extensions"), "demo").path("state").asText().equals("ready"));
      JsonNode before = child(child(tree(rig), "extensions"), "demo");
      assertThat(before.path("restarts").asInt()).isZero();
      assertThat(before.path("last_failure").isNull()).isTrue();
      assertThat(child(tree(rig), "orchestrator").path("criticality").asText())
          .isEqualTo("critical");
      assertThat(child(tree(rig), "plans").path("strategy").asText()).isEqualTo("one_for_all");
      assertThat(child(tree(rig), "watch").path("strategy").asText()).isEqualTo("rest_for_one");

      ShellRig.processes(mark)
          .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
      Await.until(
          "demo was started again",
          LIMIT,
          () -> {
            JsonNode demo = child(child(tree(rig), "extensions"), "demo");
            return demo.path("restarts").asInt() == 1
                && demo.path("state").asText().equals("ready")
                && demo.path("last_failure").path("code").asText().equals("ACTOR_CRASHED");
          });

      HoldfastCommand.Result drawn = HoldfastCommand.run(rig.setup(), "tree");
      assertThat(drawn.exitCode()).as(drawn.err()).isZero();
      assertThat(drawn.out())
          .startsWith("server (one_for_one), critical")
          .contains("store-writer: running, critical")
          .contains("├─ orchestrator: running, critical")
          .contains("├─ intake: running, critical, needs store-writer")
          .contains("webhook:ci: running, recoverable")
          .contains("config: running, non_critical")
          .contains("planning: running, important, needs tasks")
          .containsPattern("demo: (ready|starting), recoverable, 1 restart, last failure.*: ");
      assertThat(HoldfastCommand.run(rig.setup(), "tree", "--json").json().path("name").asText())
          .isEqualTo("server");
    }
  }

  /** A plan that has ended without an end: whoever is to tell of it crashes on it each time. */
  @Test
  void aCrashRestartsWhomItsStrategySaysAndNothingIsLost() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.setup()
          .set("extensions", List.of(new AgentScript(rig, "worker").declaration()))
          .set("supervision.initial_backoff_ms", 100)
          .set("supervision.max_backoff_ms", 100)
          .set("supervision.max_restarts", 2)
          .set("supervision.repair_secs", 1);
      rig.start();
      rig.accept("e1", "t", "/plan worker.look {\"say\": \"red\"}");
      awaitTold(rig, 1);

      new StoreFile(rig.setup()).change("update tasks_plans set state = 'RUNNING', told = 0");
      Await.until(
          "one_for_all: each was started again",
          LIMIT,
          () ->
              PLAN_PARTS.stream()
                  .allMatch(part -> node(rig, "plans", part).path("restarts").asInt() > 0));
      Await.until(
          "too often: the whole group is",
          LIMIT,
          () -> child(tree(rig), "plans").path("restarts").asInt() == 2);
      Await.until(
          "still too often: it is left alone",
          LIMIT,
          () -> node(rig, "plans", "plan-notices").path("state").asText().equals("ailing"));
      JsonNode failure = node(rig, "plans", "plan-notices").path("last_failure");
      assertThat(failure.path("code").asText()).isEqualTo("MAX_RESTARTS_EXCEEDED");
      assertThat(rig.api().get("/api/v1/incidents").body()).contains("gave_up", "plan-notices");
      for (JsonNode other : child(tree(rig), "watch").path("children")) {
        assertThat(other.path("restarts").asInt()).as("%s", other).isZero();
      }
      assertThat(child(tree(rig), "wakeups").path("restarts").asInt()).isZero();
      assertThat(rig.converse("e2", "t", "hello").text()).isEqualTo("echo: hello");
      rig.accept("e3", "t", "/plan worker.look {\"say\": \"blue\"}");

      new StoreFile(rig.setup())
          .change("update tasks_plans set state = 'SUCCEEDED', told = 1 where told = 0 and no = 1");
      awaitTold(rig, 2);
      Await.until(
          "all of them run",
          LIMIT,
          () ->
              PLAN_PARTS.stream()
                  .allMatch(
                      part -> node(rig, "plans", part).path("state").asText().equals("running")));
    }
  }

  private static void awaitTold(ServerRig rig, int plans) {
    Await.until(
        plans + " ends of plans are told",
        LIMIT,
        () ->
            rig.platform().posts().stream()
                    .filter(post -> post.text().contains("has succeeded"))
                    .count()
                == plans);
  }

  private static JsonNode node(ServerRig rig, String group, String part) {
    try {
      return child(child(tree(rig), group), part);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
