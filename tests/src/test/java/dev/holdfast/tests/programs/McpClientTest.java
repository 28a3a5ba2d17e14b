package dev.holdfast.tests.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server's own MCP tools with the official client, over HTTP and over pipes. */
@Timeout(240)
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/ingress/mcp",
      "server/src/main/java/dev/holdfast/cli/McpCommand.java",
      "tests/src/test/resources/programs/mcp-client.mjs"
    })
class McpClientTest {
  private static final String READER = "reader-token-of-the-mcp-test";

  @Test
  void theOfficialClientUsesItsToolsAsFarAsItsTokenGoes() throws Exception {
    try (NodeClient client = new NodeClient("mcp-client.mjs", "@modelcontextprotocol/sdk@1.32.2");
        ServerRig rig = new ServerRig()) {
      rig.setup()
          .set("tools.shell.enabled", true)
          .set("tools.autonomy", "supervised")
          .set("api.wait_secs", 3600)
          .set(
              "api.tokens",
              List.of(Map.of("name", "reader", "token", READER, "scopes", List.of("read"))));
      rig.start();
      Map<String, String> variables =
          Map.of(
              "MCP", rig.setup().url("/mcp"),
              "BASE", rig.setup().url("/"),
              "TOKEN", rig.api().token(),
              "READER", READER,
              "JAVA", Setup.java(),
              "JAR", Setup.jar().toString());

      JsonNode said = client.run(variables, "http");
      assertThat(said.path("server").asText()).isEqualTo("holdfast");
      assertThat(said.path("tools").toString()).contains("send_message", "replay_dead_letter");
      assertThat(said.path("answer").asText()).isEqualTo("echo: by MCP");
      assertThat(said.path("story").asText()).isEqualTo("answered");
      assertThat(said.path("threads").toString()).contains("web:main:mcp-thread");
      assertThat(said.path("said").toString()).isEqualTo("[\"by MCP\",\"echo: by MCP\"]");
      assertThat(said.path("schedules").asInt()).isZero();
      assertThat(said.path("letters").asBoolean()).isFalse();
      assertThat(said.path("unknown").path("failed").asBoolean()).isTrue();
      assertThat(said.path("unknown").path("text").asText()).isEqualTo("no such approval");
      assertThat(said.path("wrong").asText()).contains("-32602", "state");

      JsonNode decided = client.run(variables, "decided");
      assertThat(decided.path("status").asText()).isEqualTo("pending");
      assertThat(decided.path("asked").path(0)).isEqualTo(decided.path("listed"));
      assertThat(decided.path("approved").asText()).isIn("approved", "used");
      assertThat(decided.path("replies").toString()).contains("echo: ");

      JsonNode piped = client.run(variables, "pipe");
      assertThat(piped.path("tools")).isEqualTo(said.path("tools"));
      assertThat(piped.path("answer").asText()).isEqualTo("echo: by pipe");

      JsonNode read = client.run(variables, "reader");
      assertThat(read.path("tools").toString())
          .contains("story")
          .doesNotContain("send_message", "approve\"", "replay_dead_letter");
    }
  }
}
