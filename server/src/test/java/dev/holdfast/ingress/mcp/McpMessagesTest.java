package dev.holdfast.ingress.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.Scope;
import io.vertx.core.json.JsonObject;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class McpMessagesTest {
  private static final Caller READER = new Caller("reader", Scope.READ, false);
  private static final Caller ADMIN = new Caller("operator", Scope.ADMIN, false);

  private final McpMessages messages =
      new McpMessages(
          (_, tool, arguments) ->
              new JsonObject()
                  .put("called", tool.operation())
                  .put("key", tool.key(arguments))
                  .put("query", new JsonObject(Map.copyOf(tool.query(arguments))))
                  .put("path", new JsonObject(Map.copyOf(tool.path(arguments)))),
          "1.2.3");

  private JsonObject ask(Caller caller, String method, String params) throws Exception {
    JsonObject message =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", 7)
            .put("method", method)
            .put("params", new JsonObject(params.replace('\'', '"')));
    return messages.answer(caller, message).orElseThrow();
  }

  private static int code(JsonObject answer) {
    return answer.getJsonObject("error").getInteger("code");
  }

  @Test
  void bothErasAreGreeted() throws Exception {
    assertThat(
            ask(READER, "initialize", "{'protocolVersion': '2025-06-18'}")
                .getJsonObject("result")
                .getString("protocolVersion"))
        .isEqualTo("2025-06-18");
    assertThat(
            ask(READER, "initialize", "{'protocolVersion': '2031-01-01'}")
                .getJsonObject("result")
                .getString("protocolVersion"))
        .isEqualTo("2025-11-25");
    assertThat(ask(READER, "initialize", "{}").getJsonObject("result").getString("protocolVersion"))
        .isEqualTo("2025-11-25");
    assertThat(
            ask(READER, "server/discover", "{}")
                .getJsonObject("result")
                .getJsonArray("supportedVersions"))
        .contains("2026-07-28");
    assertThat(
            code(
                ask(
                    READER,
                    "tools/list",
                    "{'_meta': {'io.modelcontextprotocol/protocolVersion': '1999-01-01'}}")))
        .isEqualTo(-32022);
  }

  @Test
  void aToolIsCalledWithWhatItsOperationTakes() throws Exception {
    JsonObject called =
        ask(
                ADMIN,
                "tools/call",
                "{'name': 'read_thread', 'arguments': {'thread': 't', 'limit': 3}}")
            .getJsonObject("result");
    assertThat(called.getString("called")).isEqualTo("getThreadLog");
    assertThat(called.getJsonObject("query").getMap()).containsExactly(Map.entry("limit", "3"));
    assertThat(called.getJsonObject("path").getMap()).containsExactly(Map.entry("id", "t"));
  }

  /** What may be sent again without being done again says so by its key. */
  @Test
  void aMessageMayHaveAKey() throws Exception {
    String call = "{'name': 'send_message', 'arguments': {'text': 'hi', 'key': '%s'}}";
    assertThat(ask(ADMIN, "tools/call", call.formatted("k-1")).getJsonObject("result").getMap())
        .containsEntry("key", "k-1");
    for (String wrong : List.of("", "with blank", "k".repeat(256))) {
      assertThat(code(ask(ADMIN, "tools/call", call.formatted(wrong)))).isEqualTo(-32602);
    }
  }

  @Test
  void whatATokenMayNotDoIsNotThereForIt() throws Exception {
    assertThat(code(ask(READER, "tools/call", "{'name': 'send_message'}"))).isEqualTo(-32602);
    assertThat(code(ask(ADMIN, "tools/call", "{'name': 'send_message'}"))).isEqualTo(-32602);
    assertThat(code(ask(ADMIN, "resources/list", "{}"))).isEqualTo(-32601);
  }

  @Test
  void aNotificationGetsNoAnswer() throws Exception {
    JsonObject message = new JsonObject().put("jsonrpc", "2.0");
    assertThat(messages.answer(READER, message.copy().put("method", "notifications/initialized")))
        .isEmpty();
    assertThat(messages.answer(READER, message.copy().put("id", 1).put("result", new JsonObject())))
        .as("an answer")
        .isEmpty();
  }

  @Test
  void whatIsNoMessageIsRefused() throws Exception {
    JsonObject ping = new JsonObject().put("jsonrpc", "2.0").put("id", 1).put("method", "ping");
    assertThat(messages.answer(READER, ping).orElseThrow().containsKey("result")).isTrue();
    for (JsonObject wrong :
        List.of(
            ping.copy().put("jsonrpc", "1.0"),
            ping.copy().put("id", new JsonObject()),
            ping.copy().putNull("id"),
            ping.copy().put("method", 7))) {
      assertThat(code(messages.answer(READER, wrong).orElseThrow())).isEqualTo(-32600);
    }
    assertThat(code(ask(READER, "tools/call", "{'name': 'list_threads', 'arguments': 'x'}")))
        .isEqualTo(-32602);
    assertThat(McpMessages.isSpoken("1999-01-01")).isFalse();
    assertThat(McpMessages.isSpoken(null)).isTrue();
  }

  /** The scopes and sizes of the contract count: a tool is no way around them. */
  @Test
  void eachToolAsksForWhatItsOperationAsksFor() throws Exception {
    Map<String, JsonNode> operations = new HashMap<>();
    try (InputStream in = McpMessages.class.getClassLoader().getResourceAsStream("openapi.yaml")) {
      JsonNode paths = new ObjectMapper(new YAMLFactory()).readTree(in).path("paths");
      paths.forEach(
          path ->
              path.forEach(
                  operation -> operations.put(operation.path("operationId").asText(), operation)));
    }
    for (ServedTool tool : ServedTool.all()) {
      JsonNode operation =
          Objects.requireNonNull(operations.get(tool.operation()), tool.operation());
      assertThat(operation.path("x-scope").asText())
          .as(tool.name())
          .isEqualTo(tool.scope().name().toLowerCase(Locale.ROOT));
      assertThat(operation.path("x-answer").asText().equals("large"))
          .as(tool.name())
          .isEqualTo(tool.isLarge());
    }
  }
}
