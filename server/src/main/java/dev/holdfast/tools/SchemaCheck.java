package dev.holdfast.tools;

import dev.holdfast.registry.FactReader;
import dev.holdfast.registry.Refusal;
import dev.holdfast.registry.RegistrationRefusedException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.SchemaException;
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

  private SchemaCheck(String what, Validator validator) {
    this.what = what;
    this.validator = validator;
  }

  /**
   * @param what is held against it, for the sentence that names a problem
   * @param schema JSON Schema of an object
   * @throws RegistrationRefusedException when it is none, or refers to what is not in it
   */
  static SchemaCheck of(String what, String schema) throws RegistrationRefusedException {
    String problem = "the schema of its " + what + " ";
    FactReader facts = new FactReader(ToolFacts.KIND);
    try {
      JsonObject json = new JsonObject(schema);
      facts.require(
          json.getValue("type", "object").equals("object"), problem + "is not that of an object");
      facts.require(refersToItself(json), problem + "refers to another document");
      SchemaCheck check = new SchemaCheck(what, Validator.create(JsonSchema.of(json), OPTIONS));
      check.validator.validate(new JsonObject()); // what cannot be resolved shows at its first use
      return check;
    } catch (DecodeException | SchemaException e) {
      throw new RegistrationRefusedException(
          new Refusal.Malformed(ToolFacts.KIND, problem + "cannot be read"));
    }
  }

  /** Whether each reference stays within the document: none is fetched from elsewhere. */
  private static boolean refersToItself(Object part) {
    return switch (part) {
      case JsonObject object ->
          object.stream()
              .allMatch(
                  member ->
                      member.getKey().endsWith("$ref")
                          ? String.valueOf(member.getValue()).startsWith("#")
                          : refersToItself(member.getValue()));
      case JsonArray array -> array.stream().allMatch(SchemaCheck::refersToItself);
      case null, default -> true;
    };
  }

  /** What is wrong with it, for the model; empty when nothing is. */
  Optional<String> problem(String json) {
    JsonObject object;
    try {
      object = new JsonObject(json.isBlank() ? "{}" : json);
    } catch (DecodeException e) {
      return Optional.of("The " + what + " are not a JSON object.");
    }
    OutputUnit result;
    try {
      result = validator.validate(object);
    } catch (SchemaException | StackOverflowError e) {
      return Optional.of("The " + what + " cannot be checked: the tool's schema is broken.");
    }
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
