package dev.holdfast.tools.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The suite of the JSON Schema project, as Debian has it: of draft 7, which says the same as
 * 2020-12 of all that it says, but for what stands beside a reference: there the schemas say which
 * draft they are of.
 */
class JsonSchemaSuiteTest {
  private static final Path SUITE = Path.of("/usr/share/json-schema-test-suite/tests/draft7");

  private static final String DRAFT = "http://json-schema.org/draft-07/schema#";
  private final List<String> wrong = new ArrayList<>();
  private int right;

  @Test
  void eachValueIsJudgedAsTheSuiteSays() throws Exception {
    assumeTrue(Files.isDirectory(SUITE), "the package json-schema-test-suite is not installed");
    try (Stream<Path> files = Files.list(SUITE)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        for (Object group : new JsonArray(Files.readString(file))) {
          judge((JsonObject) group);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(right).isGreaterThan(350);
  }

  /** What stands at the root of a schema may refer to it: only the others are put into one. */
  private void judge(JsonObject group) {
    Object given = group.getValue("schema");
    boolean refers = given instanceof JsonObject object && object.encode().contains("$ref");
    JsonObject schema =
        refers
            ? ((JsonObject) given).copy().put("$schema", DRAFT)
            : new JsonObject(Map.of("properties", new JsonObject().put("v", given)));
    JsonSchema read;
    try {
      read = JsonSchema.read(new JsonObject(schema.encode()));
    } catch (SchemaRefusedException e) {
      if (!String.valueOf(e.getMessage()).contains("another document")) {
        wrong.add(group.getString("description") + ": " + e.getMessage());
      }
      return;
    }
    for (Object each : group.getJsonArray("tests")) {
      JsonObject test = (JsonObject) each;
      Object data = test.getValue("data");
      if (!refers || data instanceof JsonObject) {
        judge(read, refers ? (JsonObject) data : new JsonObject().put("v", data), test);
      }
    }
  }

  private void judge(JsonSchema schema, JsonObject value, JsonObject test) {
    String text = value.encode();
    List<String> problems;
    try {
      problems = schema.problems(new JsonObject(text), text.length());
    } catch (StepsExceededException e) {
      wrong.add(test.getString("description") + ": took too many steps");
      return;
    }
    if (problems.isEmpty() == test.getBoolean("valid")) {
      right++;
    } else {
      wrong.add(test.getString("description") + ": " + text + " " + problems);
    }
  }
}
