package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The real jar with servers that others have written, or that are made with the libraries of
 * others: they ask people, prepare messages, keep resources and remember.
 */
@Timeout(300)
@Outside(covers = "server/src/main/java/dev/holdfast/extensions")
class ExtensionTalkTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Pattern CODE = Pattern.compile("/deny ([A-Z0-9]{5})");

  private static final String NEWER =
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
      """;

  @RegisterExtension static final Served SERVED = Served.alone(_ -> {});

  private final ServerRig rig = SERVED.rig();

  private static Path files(String id) throws IOException {
    return Files.createDirectories(
        SERVED.rig().setup().dataDir().resolve("extensions/" + id + "/files"));
  }

  private static Map<String, Object> node(String id, String... arguments) {
    return Map.of(
        "id",
        id,
        "command",
        Stream.concat(Stream.of("node"), Stream.of(arguments)).toList(),
        "timeouts",
        Map.of("start_secs", 60, "call_secs", 3));
  }

  @BeforeAll
  static void install() throws Exception {
    String servers = "@modelcontextprotocol/server-";
    Npm.install(files("every"), servers + "everything@2026.8.31");
    Npm.install(files("think"), servers + "sequential-thinking@2026.8.31");
    Npm.install(files("newer"), "@modelcontextprotocol/server@2.4.0", "zod@4");
    Files.writeString(files("newer").resolve("server.mjs"), NEWER);
    String entry = "node_modules/" + servers + "%s/dist/index.js";
    SERVED
        .rig()
        .setup()
        .set(
            "extensions",
            List.of(
                node("every", entry.formatted("everything"), "stdio"),
                node("think", entry.formatted("sequential-thinking")),
                node("newer", "server.mjs")));
    SERVED.rig().reload();
  }

  private JsonNode extension(String id) throws IOException {
    return rig.api().get("/api/v1/extensions/" + id).json();
  }

  private void awaitReady(String id) {
    Await.until(
        id + " is ready", LIMIT, () -> extension(id).path("state").asText().equals("ready"));
  }

  private String call(String event, String tool, Map<String, Object> given) {
    return SERVED.say(event, ShellRig.call(tool, given));
  }

  /** A server that nobody here wrote. */
  @Test
  void theReferenceServerAsksAPersonPreparesMessagesAndShowsResources() throws Exception {
    awaitReady("every");
    assertThat(SERVED.say("h1", "/help"))
        .contains("/every:simple-prompt: ", "/every:args-prompt city [state]: ");
    assertThat(SERVED.say("p1", "/every:args-prompt \"New York\" NY"))
        .contains("What's weather in New York, NY?");
    assertThat(SERVED.say("p2", "/every:args-prompt"))
        .contains("It is called for with /every:args-prompt city [state]");

    assertThat(call("r1", "every_read_resource", Map.of())).contains("- demo://resource/");
    assertThat(call("r2", "every_read_resource", Map.of("uri", "demo://resource/dynamic/text/7")))
        .contains("Resource 7: This is a plaintext resource");
    assertThat(call("r3", "every_read_resource", Map.of("uri", "demo://resource/dynamic/blob/7")))
        .contains("which are not shown");

    rig.accept(
        SERVED.id("f1"),
        SERVED.thread(),
        ShellRig.call("every_trigger-elicitation-request", Map.of()));
    String asked = rig.platform().awaitText(SERVED.id("f1"), "asks you something", LIMIT).text();
    assertThat(asked).contains("1. name (text, required)", "Monica, Rachel");
    Matcher code = CODE.matcher(asked);
    assertThat(code.find()).isTrue();
    Await.throughout(
        "it waits for longer than a call may take",
        Duration.ofSeconds(4),
        () -> rig.platform().shownFor(SERVED.id("f1")).size() == 1);
    assertThat(SERVED.say("f2", "/answer " + code.group(1) + "\nname: Ann\nbirthdate: 1990-13-01"))
        .contains("birthdate takes date");
    assertThat(
            SERVED.say(
                "f3",
                "/answer "
                    + code.group(1)
                    + "\nname: Ann Smith\ncheck: yes\ntitledSingleSelectEnum: wonder woman"))
        .isEqualTo("Your answer went to the extension every.");
    assertThat(rig.platform().awaitText(SERVED.id("f1"), "provided the requested", LIMIT).text())
        .contains("Ann Smith");
    assertThat(call("e1", "every_echo", Map.of("message", "after"))).contains("after");
  }

  /** A server that nobody here wrote. */
  @Test
  void theReferenceServerIsUnderstood() throws Exception {
    awaitReady("every");
    assertThat(call("e1", "every_echo", Map.of("message", "grüße"))).contains("grüße");
    assertThat(call("e2", "every_get-sum", Map.of("a", 2, "b", 40))).contains("42");
    assertThat(call("e3", "every_get-structured-content", Map.of("location", "New York")))
        .contains("temperature");
    assertThat(call("e4", "every_get-tiny-image", Map.of()))
        .contains("image/png", "; shown]", "\n[image png ");
    // It ignores being cancelled: what it says later is dropped.
    assertThat(
            call("e5", "every_trigger-long-running-operation", Map.of("duration", 6, "steps", 3)))
        .contains("did not answer within 3 s");
    assertThat(call("e6", "every_echo", Map.of("message", "after"))).contains("after");
    assertThat(extension("every").path("restarts").asInt()).isZero();
  }

  /** Another one: it keeps what it was told from call to call. */
  @Test
  void theReferenceServerForThoughtsIsUnderstood() throws Exception {
    awaitReady("think");
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
      assertThat(call("e" + number, "think_sequentialthinking", thought))
          .containsPattern("\"thoughtHistoryLength\": ?" + number);
    }
    assertThat(call("e3", "think_sequentialthinking", Map.of("thought", "x")))
        .as("what does not fit its schema does not reach it")
        .contains("thoughtNumber");
    assertThat(extension("think").path("restarts").asInt()).isZero();
  }

  /** Made with the library that servers of the newer era are made with; it takes no other. */
  @Test
  void aServerOfTheNewerEraIsUnderstood() throws Exception {
    awaitReady("newer");
    assertThat(call("e1", "newer_echo", Map.of("message", "grow"))).contains("newer grow");
    Await.until(
        "the changed list is read",
        LIMIT,
        () -> extension("newer").path("held").toString().contains("grown"));
    String approve = "/api/v1/extensions/newer/approve";
    assertThat(rig.api().post(approve, Map.of("listing", "another")).status()).isEqualTo(409);
    String seen = extension("newer").path("listing").asText();
    assertThat(rig.api().post(approve, Map.of("listing", seen)).status()).isEqualTo(200);
    assertThat(rig.api().get("/api/v1/audit").body())
        .contains("operator.extension_approve")
        .contains("grown");
    assertThat(extension("newer").path("tools").toString()).contains("newer_grown");
    assertThat(call("e2", "newer_echo", Map.of("message", "x"))).contains("newer x");
    assertThat(extension("newer").path("restarts").asInt()).isZero();
  }
}
