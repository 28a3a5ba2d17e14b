package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/plugins.md tells a newcomer to do, done word for word, with the real jar. */
@Timeout(120)
class PluginDocsTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static JsonNode plugin(ServerRig rig) throws IOException {
    return rig.api().get("/api/v1/plugins").json().path("plugins").path(0);
  }

  private static void awaitState(ServerRig rig, String state) {
    Await.until("it is " + state, LIMIT, () -> plugin(rig).path("state").asText().equals(state));
  }

  private static String greeting(ServerRig rig, String event) {
    return rig.converse(event, "t", ShellRig.call("greet", Map.of())).text();
  }

  @Test
  void theFirstToolIsBuiltLoadedCalledConfiguredAndGoneWithItsJar() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      Path plugins = rig.folder().resolve("plugins");
      rig.setup().set("server.plugins_dir", plugins.toString());
      rig.start();
      String said = PageCommands.of("plugins.md").run(0, rig.folder());
      assertThat(said).contains("hello 1.0.0").contains("Greets people.");
      awaitState(rig, "ready");
      assertThat(plugin(rig).path("offers").path(0).asText()).isEqualTo("tool greet");
      assertThat(greeting(rig, "e1")).contains("Good day, ");

      rig.setup().set("plugins.hello", Map.of("greeting", "Welcome")).write();
      Await.until("it is configured", LIMIT, () -> greets(rig, "Welcome"));

      rig.restart();
      awaitState(rig, "ready");
      assertThat(greeting(rig, "e2")).contains("Welcome, ");

      Files.delete(plugins.resolve("hello-1.0.0.jar"));
      Await.until("it is gone", LIMIT, () -> plugin(rig).isMissingNode());
      assertThat(greeting(rig, "e3")).doesNotContain("Welcome");
    }
  }

  private static boolean greets(ServerRig rig, String word) {
    return greeting(rig, "w" + System.nanoTime()).contains(word);
  }
}
