package dev.holdfast.tools;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.util.Optional;
import java.util.stream.Collectors;

/** Holds what goes into a tool or comes out of it against the schema that the tool declares. */
final class SchemaCheck {
  private static final JsonSchemaOptions OPTIONS =
      new JsonSchemaOptions()
          .setBaseUri("urn:holdfast:tools")
          .setDraft(Draft.DRAFT202012)
          .setOutputFormat(OutputFormat.Basic);

  private final String what;
  private final Validator validator;

  /**
   * @param what is held against it, for the sentence that names a problem
   * @param schema JSON Schema of an object
   */
  SchemaCheck(String what, String schema) {
    this.what = what;
    this.validator = Validator.create(JsonSchema.of(new JsonObject(schema)), OPTIONS);
  }

  /** What is wrong with it, for the model; empty when nothing is. */
  Optional<String> problem(String json) {
    JsonObject object;
    try {
      object = new JsonObject(json.isBlank() ? "{}" : json);
    } catch (DecodeException e) {
      return Optional.of("The " + what + " are not a JSON object.");
    }
    OutputUnit result = validator.validate(object);
    if (Boolean.TRUE.equals(result.getValid())) {
      return Optional.empty();
    }
    String problems =
        result.getErrors() == null
            ? String.valueOf(result.getError())
            : result.getErrors().stream()
                .map(unit -> unit.getInstanceLocation() + ": " + unit.getError())
                .distinct()
                .limit(10)
                .collect(Collectors.joining("; "));
    return Optional.of("The " + what + " do not fit the tool: " + problems);
  }
}
