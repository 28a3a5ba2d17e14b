package dev.holdfast.tools;

import dev.holdfast.api.ToolSpec;
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

/** Holds a call's arguments against its tool's schema. */
final class Arguments {
  private static final JsonSchemaOptions OPTIONS =
      new JsonSchemaOptions()
          .setBaseUri("urn:holdfast:tools")
          .setDraft(Draft.DRAFT202012)
          .setOutputFormat(OutputFormat.Basic);

  private final Validator validator;

  Arguments(ToolSpec spec) {
    validator = Validator.create(JsonSchema.of(new JsonObject(spec.schema())), OPTIONS);
  }

  /** What is wrong with them, for the model; empty when nothing is. */
  Optional<String> problem(String json) {
    JsonObject arguments;
    try {
      arguments = new JsonObject(json.isBlank() ? "{}" : json);
    } catch (DecodeException e) {
      return Optional.of("The arguments are not a JSON object.");
    }
    OutputUnit result = validator.validate(arguments);
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
    return Optional.of("The arguments do not fit the tool: " + problems);
  }
}
