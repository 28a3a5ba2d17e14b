package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

  private static JsonNode extension(ServerRig rig, String id) throws IOException {
    return rig.api().get("/api/v1/extensions/" + id).json();
  }

  private static void awaitState(ServerRig rig, String id, String state) {
    Await.until(
        id + " is " + state, LIMIT, () -> extension(rig, id).path("state").asText().equals(state));
  }

  private static String call(ServerRig rig, String event, String tool, Map<String, Object> given) {
    return rig.converse(event, "t", ShellRig.call(tool, given)).text();
  }

  /** Its child with all that belongs to it. */
  private static List<Long> children(String mark) {
    return ShellRig.processes(mark);
  }

  /** The folder in which the extension's children run. */
  private static Path files(ServerRig rig, String id) throws IOException {
    return Files.createDirectories(rig.setup().dataDir().resolve("extensions/" + id + "/files"));
  }

  private static void declare(ServerRig rig, Map<String, Object> extension) throws IOException {
    rig.setup().set("extensions", List.of(extension)).write();
    Await.until(
        "it is there",
        LIMIT,
        () -> rig.api().get("/api/v1/extensions/" + extension.get("id")).status() == 200);
  }

  @Test
  void aServerIsCalledKilledStartedAgainChangedAndEndsWithTheServer() throws Exception {
    String mark = "mark-" + System.nanoTime();
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("extensions", List.of(python("demo", mark)));
      rig.start();
      awaitState(rig, "demo", "ready");
      assertThat(call(rig, "e1", "demo_echo", Map.of("a", 1))).contains("echo {\"a\": 1}");

      List<Long> before = children(mark);
      assertThat(before).isNotEmpty();
      before.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
      Await.until(
          "it was started again", LIMIT, () -> extension(rig, "demo").path("restarts").asInt() > 0);
      assertThat(call(rig, "e2", "demo_echo", Map.of("a", 2))).contains("echo {\"a\": 2}");
      assertThat(rig.metrics().text())
          .contains("holdfast_extension_up{id=\"demo\"} 1.0")
          .containsPattern("holdfast_extension_calls_total\\{id=\"demo\",outcome=\"ok\"\\} [2-9]");

      List<Long> killed = children(mark);
      assertThat(rig.api().post("/api/v1/extensions/demo/restart", Map.of()).status())
          .isEqualTo(200);
      Await.until(
          "it was restarted by hand",
          LIMIT,
          () -> !children(mark).isEmpty() && Collections.disjoint(children(mark), killed));
      awaitState(rig, "demo", "ready");
      assertThat(rig.api().get("/api/v1/extensions/demo/log").body()).contains("server starts");

      rig.setup().set("extensions", List.of(python("other", mark))).write();
      Await.until(
          "the list has changed",
          LIMIT,
          () -> rig.api().get("/api/v1/extensions/demo").status() == 404);
      awaitState(rig, "other", "ready");
      assertThat(call(rig, "e3", "other_echo", Map.of())).contains("echo {}");
      assertThat(call(rig, "e4", "demo_echo", Map.of()))
          .as("the model is not offered it any more")
          .isEqualTo("echo: " + ShellRig.call("demo_echo", Map.of()));

      rig.server().kill9();
      Await.until("no child outlives the server", LIMIT, () -> children(mark).isEmpty());
      rig.start();
      assertThat(call(rig, "e5", "other_echo", Map.of()))
          .as("its list was kept")
          .contains("echo {}");
    }
  }

  @Test
  void oneThatCannotStartIsShownAndChangesNothingElse() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      Map<String, Object> missing =
          Map.of("id", "gone", "command", List.of("no-such-program-on-this-machine"));
      rig.setup().set("extensions", List.of(missing));
      rig.start();
      awaitState(rig, "gone", "parked");
      Await.until(
          "/ready says so",
          LIMIT,
          () -> {
            Answer ready = new Http().get(rig.setup().url("/ready"), Map.of());
            return ready.status() == 200 && ready.body().contains("extension/gone");
          });
      assertThat(rig.converse("e1", "t", "hello").text()).isEqualTo("echo: hello");
    }
  }

  @Test
  void anActionInBashIsRunOncePerCall() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      Files.writeString(
          files(rig, "dice").resolve("dice.sh"),
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
      declare(rig, action);
      assertThat(call(rig, "e1", "dice_roll", Map.of("sides", 6))).contains("a die of 6");
      assertThat(call(rig, "e2", "dice_roll", Map.of())).contains("sides");
    }
  }

  /** FAULTS S47: only the operator's configuration does, and what it runs is shown whole. */
  @Test
  void nothingThatIsSaidOrWrittenInAChatDeclaresAnExtension() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      String yaml = "extensions:\n- id: evil\n  command: [touch, /tmp/evil]\n";
      assertThat(rig.converse("e1", "t", yaml).text()).startsWith("echo: ");
      for (String path : List.of("holdfast.yaml", "extension.yaml", ".mcp.json")) {
        String written = call(rig, "w" + path, "write_file", Map.of("path", path, "content", yaml));
        assertThat(written).contains(path);
      }
      Path configuration = rig.setup().folder().resolve("conf/holdfast.yaml");
      assertThat(
              call(
                  rig,
                  "e2",
                  "write_file",
                  Map.of("path", configuration.toString(), "content", yaml)))
          .doesNotContain("wrote");
      declare(rig, python("demo", "shown"));
      assertThat(rig.api().get("/api/v1/extensions").json().path("extensions")).hasSize(1);
      assertThat(extension(rig, "demo").path("target").toString()).contains("python3", "\"shown\"");
    }
  }

  /** A server that nobody here wrote. */
  @Test
  void theReferenceServerIsUnderstood() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      String name = "@modelcontextprotocol/server-everything";
      String entry = installed(files(rig, "every"), name, "2026.8.31");
      Map<String, Object> everything =
          Map.of(
              "id", "every",
              "command", List.of("node", entry, "stdio"),
              "timeouts", Map.of("start_secs", 60, "call_secs", 3));
      declare(rig, everything);
      awaitState(rig, "every", "ready");
      assertThat(call(rig, "e1", "every_echo", Map.of("message", "grüße"))).contains("grüße");
      assertThat(call(rig, "e2", "every_get-sum", Map.of("a", 2, "b", 40))).contains("42");
      assertThat(call(rig, "e3", "every_get-structured-content", Map.of("location", "New York")))
          .contains("temperature");
      assertThat(call(rig, "e4", "every_get-tiny-image", Map.of()))
          .contains("image/png", "; shown]", "\n[image png ");
      // It ignores being cancelled: what it says later is dropped.
      assertThat(
              call(
                  rig,
                  "e5",
                  "every_trigger-long-running-operation",
                  Map.of("duration", 6, "steps", 3)))
          .contains("did not answer within 3 s");
      assertThat(call(rig, "e6", "every_echo", Map.of("message", "after"))).contains("after");
      assertThat(extension(rig, "every").path("restarts").asInt()).isZero();
    }
  }

  /** Another one: it keeps what it was told from call to call. */
  @Test
  void theReferenceServerForThoughtsIsUnderstood() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      String name = "@modelcontextprotocol/server-sequential-thinking";
      String entry = installed(files(rig, "think"), name, "2026.8.31");
      declare(
          rig,
          Map.of(
              "id", "think",
              "command", List.of("node", entry),
              "timeouts", Map.of("start_secs", 60)));
      awaitState(rig, "think", "ready");
      for (int number = 1; number <= 2; number++) {
        Map<String, Object> thought =
            Map.of(
                "thought",
                "step " + number,
                "nextThoughtNeeded",
                number < 2,
                "thoughtNumber",
                number,
                "totalThoughts",
                2);
        assertThat(call(rig, "e" + number, "think_sequentialthinking", thought))
            .containsPattern("\"thoughtHistoryLength\": ?" + number);
      }
      assertThat(call(rig, "e3", "think_sequentialthinking", Map.of("thought", "x")))
          .as("what does not fit its schema does not reach it")
          .contains("thoughtNumber");
      assertThat(extension(rig, "think").path("restarts").asInt()).isZero();
    }
  }

  /** Made with the library that servers of the newer era are made with; it takes no other. */
  @Test
  void aServerOfTheNewerEraIsUnderstood() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      Path files = files(rig, "newer");
      String _ = installed(files, "@modelcontextprotocol/server", "2.4.0", "zod@4");
      Files.writeString(
          files.resolve("server.mjs"),
          """
          import {McpServer} from '@modelcontextprotocol/server';
          import {serveStdio} from '@modelcontextprotocol/server/stdio';
          import {z} from 'zod';
          serveStdio(() => {
            const server = new McpServer({name: 'newer', version: '1'},
              {capabilities: {tools: {listChanged: true}}});
            const inputSchema = z.object({message: z.string()});
            server.registerTool('echo', {inputSchema}, async ({message}) => {
              if (message === 'grow') {
                server.registerTool('grown', {inputSchema}, async () => ({content: []}));
              }
              return {content: [{type: 'text', text: 'newer ' + message}]};
            });
            return server;
          }, {legacy: 'reject'});
          """);
      Map<String, Object> newer =
          Map.of(
              "id", "newer",
              "command", List.of("node", "server.mjs"),
              "timeouts", Map.of("start_secs", 60));
      declare(rig, newer);
      awaitState(rig, "newer", "ready");
      assertThat(call(rig, "e1", "newer_echo", Map.of("message", "grow"))).contains("newer grow");
      Await.until(
          "the changed list is read",
          LIMIT,
          () -> extension(rig, "newer").path("held").toString().contains("grown"));
      String approve = "/api/v1/extensions/newer/approve";
      assertThat(rig.api().post(approve, Map.of("listing", "another")).status()).isEqualTo(409);
      String seen = extension(rig, "newer").path("listing").asText();
      assertThat(rig.api().post(approve, Map.of("listing", seen)).status()).isEqualTo(200);
      assertThat(rig.api().get("/api/v1/audit").body())
          .contains("operator.extension_approve")
          .contains("grown");
      assertThat(extension(rig, "newer").path("tools").toString()).contains("newer_grown");
      assertThat(call(rig, "e2", "newer_echo", Map.of("message", "x"))).contains("newer x");
      assertThat(extension(rig, "newer").path("restarts").asInt()).isZero();
    }
  }

  /**
   * The main file of an npm package, as seen from the folder; the test is left out where npm cannot
   * install it.
   */
  static String installed(Path folder, String name, String version, String... more)
      throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    List<String> command =
        new ArrayList<>(
            List.of("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"));
    command.addAll(List.of(folder.toString(), name + "@" + version));
    command.addAll(List.of(more));
    Process install;
    try {
      install =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException e) {
      return Assumptions.abort("there is no npm: " + e.getMessage());
    }
    if (!install.waitFor(120, TimeUnit.SECONDS)) {
      install.destroyForcibly();
      return Assumptions.abort("npm takes too long");
    }
    Assumptions.assumeTrue(install.exitValue() == 0, () -> "npm: " + read(log));
    return "node_modules/" + name + "/dist/index.js";
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
