package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code plugins new} writes, built with one command and used by a server that runs. */
@Outside(
    covers = {
      "server/src/main/resources/plugin-template",
      "server/src/main/java/dev/holdfast/cli/PluginTemplate.java",
      "plugin-api/src/main"
    })
@Timeout(120)
class PluginTemplateTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Test
  void theTemplateBuildsToAPluginThatWorks() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      Path plugins = Files.createDirectories(rig.folder().resolve("plugins"));
      rig.setup().set("server.plugins_dir", plugins.toString());
      rig.start();
      Path folder = Files.createDirectories(rig.folder().resolve("it's mine"));
      String _ = PageCommands.run("java -jar \"$HOLDFAST_JAR\" plugin new a-new-one", folder);
      String said = PageCommands.run("unset HOLDFAST_JAR; a-new-one/build.sh", folder);
      Path jar = Path.of(said.lines().toList().getLast());
      assertThat(jar).hasFileName("a-new-one-0.1.0.jar");
      Files.copy(jar, plugins.resolve(jar.getFileName()));
      Await.until(
          "it is ready",
          LIMIT,
          () -> rig.api().get("/api/v1/plugins").body().contains("tool a_new_one_greet"));
      assertThat(rig.converse("e1", "t", ShellRig.call("a_new_one_greet", Map.of())).text())
          .contains("Good day, ");
    }
  }
}
