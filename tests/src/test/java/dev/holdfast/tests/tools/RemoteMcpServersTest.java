package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that nobody here wrote, called over HTTP by the real jar. */
@Timeout(300)
class RemoteMcpServersTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private static JsonNode extension(ServerRig rig) throws IOException {
    return rig.api().get("/api/v1/extensions/far").json();
  }

  private static void awaitState(ServerRig rig, String state) {
    Await.until(
        "far is " + state, LIMIT, () -> extension(rig).path("state").asText().equals(state));
  }

  private static String call(ServerRig rig, String event, String tool, Map<String, Object> given) {
    return rig.converse(event, "t", ShellRig.call(tool, given)).text();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Process node(Path folder, int port, String... arguments) throws IOException {
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

  private static void declare(ServerRig rig, int port) throws IOException {
    rig.setup()
        .set(
            "extensions",
            List.of(
                Map.of(
                    "id",
                    "far",
                    "url",
                    "http://127.0.0.1:" + port + "/mcp",
                    "headers",
                    Map.of("Authorization", "Bearer t0ken-that-nobody-reads"),
                    "restart",
                    Map.of("initial_backoff_ms", 100, "max_backoff_ms", 500),
                    "timeouts",
                    Map.of("call_secs", 3))))
        .write();
  }

  /** Of the first era: with a session, and a stream for what nobody asked for. */
  @Test
  void theReferenceServerIsUnderstoodAndFoundAgainWhenItWasAway() throws Exception {
    Path folder = ServerRig.newFolder("holdfast-far");
    String name = "@modelcontextprotocol/server-everything";
    String entry = ExtensionTest.installed(folder, name, "2026.8.31");
    int port = freePort();
    Process far = node(folder, port, entry, "streamableHttp");
    try (ServerRig rig = new ServerRig()) {
      declare(rig, port);
      rig.start();
      awaitState(rig, "ready");
      assertThat(call(rig, "e1", "far_echo", Map.of("message", "grüße"))).contains("grüße");
      assertThat(call(rig, "e2", "far_get-sum", Map.of("a", 2, "b", 40))).contains("42");
      assertThat(call(rig, "e3", "far_get-structured-content", Map.of("location", "New York")))
          .contains("temperature");
      assertThat(
              call(
                  rig,
                  "e4",
                  "far_trigger-long-running-operation",
                  Map.of("duration", 6, "steps", 3)))
          .contains("did not answer within 3 s");
      assertThat(call(rig, "e5", "far_echo", Map.of("message", "after"))).contains("after");

      far.destroyForcibly().waitFor();
      assertThat(call(rig, "e6", "far_echo", Map.of("message", "lost")))
          .doesNotContain("Echo: lost");
      Await.until(
          "/ready says so",
          LIMIT,
          () -> {
            Answer ready = new Http().get(rig.setup().url("/ready"), Map.of());
            return ready.status() == 200 && ready.body().contains("extension/far");
          });
      far = node(folder, port, entry, "streamableHttp");
      assertThat(rig.api().post("/api/v1/extensions/far/restart", Map.of()).status())
          .isEqualTo(200);
      awaitState(rig, "ready");
      rig.api().post("/api/v1/breakers/ext:far/reset", Map.of());
      assertThat(call(rig, "e7", "far_echo", Map.of("message", "again"))).contains("again");
      assertThat(rig.server().output() + extension(rig) + rig.api().get("/api/v1/config").body())
          .doesNotContain("t0ken-that-nobody-reads");
    } finally {
      far.destroyForcibly();
      ServerRig.delete(folder);
    }
  }

  /** Of the second era: each request stands alone, and so does what describes it outside. */
  @Test
  void aServerOfTheNewerEraIsUnderstood() throws Exception {
    Path folder = ServerRig.newFolder("holdfast-far");
    String _ =
        ExtensionTest.installed(
            folder,
            "@modelcontextprotocol/server",
            "2.4.0",
            "@modelcontextprotocol/node@2.1.2",
            "zod@4");
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
    Process far = node(folder, port, "server.mjs");
    try (ServerRig rig = new ServerRig()) {
      declare(rig, port);
      rig.start();
      awaitState(rig, "ready");
      assertThat(extension(rig).path("tools").toString()).contains("far_gr__e");
      assertThat(call(rig, "e1", "far_gr__e", Map.of("message", "x"))).contains("newer x");
      assertThat(extension(rig).path("restarts").asInt()).isZero();
    } finally {
      far.destroyForcibly();
      ServerRig.delete(folder);
    }
  }
}
