package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The real jar with real children: declared, called, killed, changed, gone. */
@Timeout(300)
class ExtensionTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  static final Path SERVER =
      Path.of("../server/src/test/resources/extensions/mcp_server.py").toAbsolutePath().normalize();

  /** The script as one argument: a child need not see where the sources lie. */
  static Map<String, Object> python(String id, String... flags) throws IOException {
    String script = Files.readString(SERVER).replace("${", "$${");
    List<String> command = new ArrayList<>(List.of("python3", "-c", script));
    command.addAll(List.of(flags));
    return Map.of(
        "id",
        id,
        "command",
        command,
        "tools",
        Map.of("allow", List.of("echo", "hang"), "replay", Map.of("echo", "read")));
  }

  @RegisterExtension static final Served SERVED = Served.alone(_ -> {});

  private final ServerRig rig = SERVED.rig();

  private JsonNode extension(String id) throws IOException {
    return rig.api().get("/api/v1/extensions/" + id).json();
  }

  private void awaitState(String id, String state) {
    Await.until(
        id + " is " + state, LIMIT, () -> extension(id).path("state").asText().equals(state));
  }

  private String call(String event, String tool, Map<String, Object> given) {
    return SERVED.say(event, ShellRig.call(tool, given));
  }

  /** Its child with all that belongs to it. */
  private static List<Long> children(String mark) {
    return ShellRig.processes(mark);
  }

  /** The folder in which the extension's children run. */
  private Path files(String id) throws IOException {
    return Files.createDirectories(rig.setup().dataDir().resolve("extensions/" + id + "/files"));
  }

  /** The only one from now on. */
  private void declare(Map<String, Object> extension) {
    rig.setup().set("extensions", List.of(extension));
    rig.reload();
    Await.until(
        "it is the only one",
        LIMIT,
        () ->
            rig.api().get("/api/v1/extensions").json().path("extensions").size() == 1
                && rig.api().get("/api/v1/extensions/" + extension.get("id")).status() == 200);
  }

  @Test
  void aServerIsCalledKilledStartedAgainChangedAndEndsWithTheServer() throws Exception {
    String mark = "mark-" + System.nanoTime();
    declare(python("demo", mark));
    awaitState("demo", "ready");
    assertThat(call("e1", "demo_echo", Map.of("a", 1))).contains("echo {\"a\": 1}");

    List<Long> before = children(mark);
    assertThat(before).isNotEmpty();
    before.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    Await.until(
        "it was started again", LIMIT, () -> extension("demo").path("restarts").asInt() > 0);
    assertThat(call("e2", "demo_echo", Map.of("a", 2))).contains("echo {\"a\": 2}");
    assertThat(rig.metrics().text())
        .contains("holdfast_extension_up{id=\"demo\"} 1.0")
        .containsPattern("holdfast_extension_calls_total\\{id=\"demo\",outcome=\"ok\"\\} [2-9]");

    List<Long> killed = children(mark);
    assertThat(rig.api().post("/api/v1/extensions/demo/restart", Map.of()).status()).isEqualTo(200);
    Await.until(
        "it was restarted by hand",
        LIMIT,
        () -> !children(mark).isEmpty() && Collections.disjoint(children(mark), killed));
    awaitState("demo", "ready");
    assertThat(rig.api().get("/api/v1/extensions/demo/log").body()).contains("server starts");

    declare(python("other", mark));
    assertThat(rig.api().get("/api/v1/extensions/demo").status()).isEqualTo(404);
    awaitState("other", "ready");
    assertThat(call("e3", "other_echo", Map.of())).contains("echo {}");
    assertThat(call("e4", "demo_echo", Map.of()))
        .as("the model is not offered it any more")
        .isEqualTo("echo: " + ShellRig.call("demo_echo", Map.of()));

    rig.server().kill9();
    Await.until("no child outlives the server", LIMIT, () -> children(mark).isEmpty());
    rig.start();
    assertThat(call("e5", "other_echo", Map.of())).as("its list was kept").contains("echo {}");
  }

  @Test
  void oneThatCannotStartIsShownAndChangesNothingElse() throws Exception {
    Map<String, Object> missing =
        Map.of("id", "gone", "command", List.of("no-such-program-on-this-machine"));
    declare(missing);
    awaitState("gone", "parked");
    Await.until(
        "/ready says so",
        LIMIT,
        () -> {
          Answer ready = new Http().get(rig.setup().url("/ready"), Map.of());
          return ready.status() == 200 && ready.body().contains("extension/gone");
        });
    assertThat(SERVED.say("e1", "hello")).isEqualTo("echo: hello");
  }

  @Test
  void anActionInBashIsRunOncePerCall() throws Exception {
    Files.writeString(
        files("dice").resolve("dice.sh"),
        """
        request=$(cat)
        id=$(printf '%s' "$request" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')
        sides=$(printf '%s' "$request" | sed 's/.*"sides":\\([0-9]*\\).*/\\1/')
        printf '{"request_id":"%s","api_version":"v1","status":"success","code":0,' "$id"
        printf '"result":{"output_type":"text","data":"a die of %d"}}\\n' "$sides"
        """);
    Map<String, Object> action =
        Map.of(
            "id",
            "dice",
            "protocol",
            "action",
            "command",
            List.of("bash", "dice.sh"),
            "actions",
            List.of(
                Map.of(
                    "name",
                    "roll",
                    "schema",
                    "{\"type\":\"object\",\"properties\":{\"sides\":{\"type\":\"integer\"}},"
                        + "\"required\":[\"sides\"]}")));
    declare(action);
    assertThat(call("e1", "dice_roll", Map.of("sides", 6))).contains("a die of 6");
    assertThat(call("e2", "dice_roll", Map.of())).contains("sides");
  }

  /** FAULTS S47: only the operator's configuration does, and what it runs is shown whole. */
  @Test
  void nothingThatIsSaidOrWrittenInAChatDeclaresAnExtension() throws Exception {
    String yaml = "extensions:\n- id: evil\n  command: [touch, /tmp/evil]\n";
    assertThat(SERVED.say("e1", yaml)).startsWith("echo: ");
    for (String path : List.of("holdfast.yaml", "extension.yaml", ".mcp.json")) {
      String written = call("w" + path, "write_file", Map.of("path", path, "content", yaml));
      assertThat(written).contains(path);
    }
    Path configuration = rig.setup().folder().resolve("conf/holdfast.yaml");
    assertThat(call("e2", "write_file", Map.of("path", configuration.toString(), "content", yaml)))
        .doesNotContain("wrote");
    declare(python("seen", "shown"));
    assertThat(rig.api().get("/api/v1/extensions").json().path("extensions")).hasSize(1);
    assertThat(extension("seen").path("target").toString()).contains("python3", "\"shown\"");
  }

  @Test
  void whereToolsAreManyTheyAreSearched() throws Exception {
    String script = Files.readString(SERVER).replace("${", "$${");
    declare(Map.of("id", "many", "command", List.of("python3", "-c", script, "many")));
    awaitState("many", "ready");
    assertThat(call("d1", "many_t00007", Map.of()))
        .as("the model has searched for it and called it")
        .endsWith("t00007 {}");
    assertThat(call("s1", "tool_search", Map.of("query", "t00007")))
        .contains("- many_t00007: does t00007");
    assertThat(call("b1", "list_files", Map.of("path", ".")))
        .as("the server's own are offered as ever")
        .doesNotContain("!tool");
  }
}
