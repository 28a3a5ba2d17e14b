package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The parts of the running server, as an operator sees them. */
@Timeout(180)
class SupervisionTreeTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

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
          .containsPattern("demo: ready, recoverable, 1 restart, last failure.*: ");
      assertThat(HoldfastCommand.run(rig.setup(), "tree", "--json").json().path("name").asText())
          .isEqualTo("server");
    }
  }
}
