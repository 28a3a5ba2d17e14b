package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Extensions that do next to nothing, so that a call of one costs what is around it. */
final class BenchExtensions {
  /** Of an action: answers at once. */
  static final String ACTION =
      """
      read -r request
      id=${request#*'"request_id":"'}
      printf '{"request_id":"%s","api_version":"v1","status":"success","code":0,' "${id%%'"'*}"
      printf '"result":{"output_type":"text","data":"done"}}\\n'
      """;

  private BenchExtensions() {}

  /** An MCP server with one tool, {@code echo}. */
  static String script() throws IOException {
    try (InputStream in = BenchExtensions.class.getResourceAsStream("/bench/echo_server.py")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static Map<String, Object> mcp(String id) throws IOException {
    return Map.of(
        "id", id,
        "command", List.of("python3", "-c", script().replace("${", "$${")),
        "tools", Map.of("replay", Map.of("echo", "read")));
  }

  /** Each call of its action {@code run} is a process of bash. */
  static Map<String, Object> action(String id, String program) {
    return Map.of(
        "id", id,
        "protocol", "action",
        "command", List.of("bash", "-c", program.replace("${", "$${")),
        "tools", Map.of("replay", Map.of("run", "read")),
        "actions", List.of(Map.of("name", "run", "description", "Runs.")));
  }

  static void awaitReady(ServerRig rig, int count) {
    Await.until(
        count + " extensions are ready",
        Duration.ofSeconds(60),
        () -> {
          int ready = 0;
          for (var each : rig.api().get("/api/v1/extensions").json().path("extensions")) {
            ready += each.path("state").asText().equals("ready") ? 1 : 0;
          }
          return ready >= count;
        });
  }
}
