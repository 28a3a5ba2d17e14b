package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The real jar with servers that ask people, prepare messages, keep resources, or have too much.
 */
@Timeout(300)
class ExtensionTalkTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Pattern CODE = Pattern.compile("/deny ([A-Z0-9]{5})");

  private static Path files(ServerRig rig, String id) throws Exception {
    return Files.createDirectories(rig.setup().dataDir().resolve("extensions/" + id + "/files"));
  }

  private static void serve(ServerRig rig, String id, List<String> command) throws Exception {
    rig.setup()
        .set(
            "extensions",
            List.of(
                Map.of(
                    "id",
                    id,
                    "command",
                    command,
                    "timeouts",
                    Map.of("start_secs", 60, "call_secs", 3))))
        .write();
    Await.until(
        id + " is ready",
        LIMIT,
        () ->
            rig.api()
                .get("/api/v1/extensions/" + id)
                .json()
                .path("state")
                .asText()
                .equals("ready"));
  }

  private static String call(ServerRig rig, String event, String tool, Map<String, Object> given) {
    return rig.converse(event, "t", ShellRig.call(tool, given)).text();
  }

  /** A server that nobody here wrote. */
  @Test
  void theReferenceServerAsksAPersonPreparesMessagesAndShowsResources() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      Npm.install(files(rig, "every"), "@modelcontextprotocol/server-everything@2026.8.31");
      String entry = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
      serve(rig, "every", List.of("node", entry, "stdio"));

      assertThat(rig.converse("h1", "t", "/help").text())
          .contains("/every:simple-prompt: ", "/every:args-prompt city [state]: ");
      assertThat(rig.converse("p1", "t", "/every:args-prompt \"New York\" NY").text())
          .contains("What's weather in New York, NY?");
      assertThat(rig.converse("p2", "t", "/every:args-prompt").text())
          .contains("It is called for with /every:args-prompt city [state]");

      assertThat(call(rig, "r1", "every_read_resource", Map.of())).contains("- demo://resource/");
      assertThat(
              call(
                  rig,
                  "r2",
                  "every_read_resource",
                  Map.of("uri", "demo://resource/dynamic/text/7")))
          .contains("Resource 7: This is a plaintext resource");
      assertThat(
              call(
                  rig,
                  "r3",
                  "every_read_resource",
                  Map.of("uri", "demo://resource/dynamic/blob/7")))
          .contains("which are not shown");

      rig.accept("f1", "t", ShellRig.call("every_trigger-elicitation-request", Map.of()));
      String asked = rig.platform().awaitText("f1", "asks you something", LIMIT).text();
      assertThat(asked).contains("1. name (text, required)", "Monica, Rachel");
      Matcher code = CODE.matcher(asked);
      assertThat(code.find()).isTrue();
      Await.throughout(
          "it waits for longer than a call may take",
          Duration.ofSeconds(4),
          () -> rig.platform().shownFor("f1").size() == 1);
      assertThat(
              rig.converse(
                      "f2", "t", "/answer " + code.group(1) + "\nname: Ann\nbirthdate: 1990-13-01")
                  .text())
          .contains("birthdate takes date");
      assertThat(
              rig.converse(
                      "f3",
                      "t",
                      "/answer "
                          + code.group(1)
                          + "\nname: Ann Smith\ncheck: yes\ntitledSingleSelectEnum: wonder woman")
                  .text())
          .isEqualTo("Your answer went to the extension every.");
      assertThat(rig.platform().awaitText("f1", "provided the requested", LIMIT).text())
          .contains("Ann Smith");
      assertThat(call(rig, "e1", "every_echo", Map.of("message", "after"))).contains("after");
    }
  }

  @Test
  void whereToolsAreManyTheyAreSearched() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      Path script = Path.of("../server/src/test/resources/extensions/mcp_server.py");
      String text = Files.readString(script).replace("${", "$${");
      serve(rig, "many", List.of("python3", "-c", text, "many"));
      String direct = ShellRig.call("many_t00007", Map.of());
      assertThat(rig.converse("d1", "t", direct).text())
          .as("the model has searched for it and called it")
          .endsWith("t00007 {}");
      assertThat(call(rig, "s1", "tool_search", Map.of("query", "t00007")))
          .contains("- many_t00007: does t00007");
      assertThat(call(rig, "b1", "list_files", Map.of("path", ".")))
          .as("the server's own are offered as ever")
          .doesNotContain("!tool");
    }
  }
}
