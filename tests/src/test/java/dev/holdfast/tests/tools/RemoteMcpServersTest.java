package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Servers that nobody here wrote, called over HTTP by the real jar. */
@Timeout(300)
@Outside(covers = "server/src/main/java/dev/holdfast/extensions")
class RemoteMcpServersTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @RegisterExtension static final Served SERVED = Served.alone(_ -> {});

  private final ServerRig rig = SERVED.rig();
  private final Path folder = ServerRig.newFolder("holdfast-far");

  @AfterEach
  void end() {
    ServerRig.delete(folder);
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

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Process node(int port, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("node"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out").toFile());
    builder.environment().put("PORT", Integer.toString(port));
    Process started = builder.start();
    Await.until("it listens at " + port, LIMIT, () -> isOpen(port));
    return started;
  }

  private static boolean isOpen(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private void declare(String id, int port) {
    rig.setup()
        .set(
            "extensions",
            List.of(
                Map.of(
                    "id",
                    id,
                    "url",
                    "http://127.0.0.1:" + port + "/mcp",
                    "headers",
                    Map.of("Authorization", "Bearer t0ken-that-nobody-reads"),
                    "restart",
                    Map.of("initial_backoff_ms", 100, "max_backoff_ms", 500),
                    "timeouts",
                    Map.of("call_secs", 3))));
    rig.reload();
  }

  /** Of the first era: with a session, and a stream for what nobody asked for. */
  @Test
  void theReferenceServerIsUnderstoodAndFoundAgainWhenItWasAway() throws Exception {
    String name = "@modelcontextprotocol/server-everything";
    Npm.install(folder, name + "@2026.8.31");
    String entry = "node_modules/" + name + "/dist/index.js";
    int port = freePort();
    Process far = node(port, entry, "streamableHttp");
    try {
      declare("far", port);
      awaitReady("far");
      assertThat(call("e1", "far_echo", Map.of("message", "grüße"))).contains("grüße");
      assertThat(call("e2", "far_get-sum", Map.of("a", 2, "b", 40))).contains("42");
      assertThat(call("e3", "far_get-structured-content", Map.of("location", "New York")))
          .contains("temperature");
      assertThat(
              call("e4", "far_trigger-long-running-operation", Map.of("duration", 6, "steps", 3)))
          .contains("did not answer within 3 s");
      assertThat(call("e5", "far_echo", Map.of("message", "after"))).contains("after");

      far.destroyForcibly().waitFor();
      assertThat(call("e6", "far_echo", Map.of("message", "lost"))).doesNotContain("Echo: lost");
      Await.until(
          "/ready says so",
          LIMIT,
          () -> {
            Answer ready = new Http().get(rig.setup().url("/ready"), Map.of());
            return ready.status() == 200 && ready.body().contains("extension/far");
          });
      far = node(port, entry, "streamableHttp");
      assertThat(rig.api().post("/api/v1/extensions/far/restart", Map.of()).status())
          .isEqualTo(200);
      awaitReady("far");
      rig.api().post("/api/v1/breakers/ext:far/reset", Map.of());
      assertThat(call("e7", "far_echo", Map.of("message", "again"))).contains("again");
      assertThat(rig.server().output() + extension("far") + rig.api().get("/api/v1/config").body())
          .doesNotContain("t0ken-that-nobody-reads");
    } finally {
      far.destroyForcibly();
    }
  }

  /** Of the second era: each request stands alone, and so does what describes it outside. */
  @Test
  void aServerOfTheNewerEraIsUnderstood() throws Exception {
    Npm.install(
        folder, "@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2", "zod@4");
    Files.writeString(
        folder.resolve("server.mjs"),
        """
        import {createServer} from 'node:http';
        import {McpServer, createMcpHandler} from '@modelcontextprotocol/server';
        import {toNodeHandler} from '@modelcontextprotocol/node';
        import {z} from 'zod';
        const handler = createMcpHandler(() => {
          const server = new McpServer({name: 'newer', version: '1'},
            {capabilities: {tools: {listChanged: true}}});
          server.registerTool('grüße', {inputSchema: z.object({message: z.string()})},
            async ({message}) => ({content: [{type: 'text', text: 'newer ' + message}]}));
          return server;
        }, {legacy: 'reject'});
        createServer(toNodeHandler(handler)).listen(process.env.PORT, '127.0.0.1');
        """);
    int port = freePort();
    Process far = node(port, "server.mjs");
    try {
      declare("newer", port);
      awaitReady("newer");
      assertThat(extension("newer").path("tools").toString()).contains("newer_gr__e");
      assertThat(call("e1", "newer_gr__e", Map.of("message", "x"))).contains("newer x");
      assertThat(extension("newer").path("restarts").asInt()).isZero();
    } finally {
      far.destroyForcibly();
    }
  }
}
