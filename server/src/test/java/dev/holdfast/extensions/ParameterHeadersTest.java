package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParameterHeadersTest {
  private final ParameterHeaders headers = new ParameterHeaders();

  private static JsonObject schema(String properties) {
    return new JsonObject().put("properties", new JsonObject(properties.replace('\'', '"')));
  }

  private void learn(String properties) {
    JsonObject tool = new JsonObject().put("name", "find").put("inputSchema", schema(properties));
    headers.learn(new JsonObject().put("tools", new JsonArray().add(tool)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'a': {'type': 'string', 'x-mcp-header': 'Region'}}",
        "{'a': {'type': ['integer', 'null'], 'x-mcp-header': 'A'}, 'b': {'x-mcp-header': 'B'}}",
        "{'a': {'properties': {'b': {'type': 'boolean', 'x-mcp-header': 'B'}}}}"
      })
  void marksOfPlainArgumentsAreValid(String properties) {
    assertThat(ParameterHeaders.areValid(schema(properties))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'a': {'type': 'string', 'x-mcp-header': ''}}",
        "{'a': {'type': 'string', 'x-mcp-header': 5}}",
        "{'a': {'type': 'string', 'x-mcp-header': null}}",
        "{'a': {'type': 'string', 'x-mcp-header': 'My Region'}}",
        "{'a': {'type': 'string', 'x-mcp-header': 'Region:Primary'}}",
        "{'a': {'type': 'object', 'x-mcp-header': 'A'}}",
        "{'a': {'type': 'number', 'x-mcp-header': 'A'}}",
        "{'a': {'type': 'null', 'x-mcp-header': 'A'}}",
        "{'a': {'type': ['string', 'object'], 'x-mcp-header': 'A'}}",
        "{'a': {'x-mcp-header': 'Region'}, 'b': {'properties': {'c': {'x-mcp-header': 'region'}}}}"
      })
  void othersAreNot(String properties) {
    assertThat(ParameterHeaders.areValid(schema(properties))).isFalse();
    learn(properties);
    assertThat(headers.of("find", new JsonObject().put("a", "x"))).isEmpty();
  }

  @Test
  void anEmptyTextIsSaidAndWhatIsNotThereIsNot() {
    learn("{'a': {'x-mcp-header': 'A'}, 'b': {'x-mcp-header': 'B'}, 'c': {'x-mcp-header': 'C'}}");
    assertThat(headers.of("find", new JsonObject().put("a", "").putNull("b")))
        .containsOnlyKeys("mcp-param-A")
        .containsEntry("mcp-param-A", "");
  }
}
