package dev.holdfast.tools;

import dev.holdfast.registry.FactReader;
import dev.holdfast.registry.Refusal;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.tools.schema.JsonSchema;
import dev.holdfast.tools.schema.SchemaRefusedException;
import dev.holdfast.tools.schema.StepsExceededException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/** Holds what goes into a tool or comes out of it against the schema that the tool declares. */
public final class SchemaCheck {
  private final String what;
  private final JsonSchema schema;

  private SchemaCheck(String what, JsonSchema schema) {
    this.what = what;
    this.schema = schema;
  }

  /**
   * @param what is held against it, for the sentence that names a problem
   * @param schema JSON Schema of an object
   * @throws RegistrationRefusedException when it is none, or cannot be used
   */
  public static SchemaCheck of(String what, String schema) throws RegistrationRefusedException {
    String problem = "the schema of its " + what + " ";
    try {
      JsonObject json = new JsonObject(schema);
      new FactReader(ToolFacts.KIND)
          .require(
              json.getValue("type", "object").equals("object"),
              problem + "is not that of an object");
      return new SchemaCheck(what, JsonSchema.read(json));
    } catch (DecodeException | StackOverflowError e) {
      throw refused(problem + "cannot be read");
    } catch (SchemaRefusedException e) {
      throw refused(problem + e.getMessage());
    }
  }

  private static RegistrationRefusedException refused(String problem) {
    return new RegistrationRefusedException(new Refusal.Malformed(ToolFacts.KIND, problem));
  }

  /** What is wrong with it, for the model; empty when nothing is. */
  public Optional<String> problem(String json) {
    try {
      JsonObject object = new JsonObject(json.isBlank() ? "{}" : json);
      List<String> problems = schema.problems(object, json.length());
      return problems.isEmpty()
          ? Optional.empty()
          : Optional.of("The " + what + " do not fit the tool: " + String.join("; ", problems));
    } catch (DecodeException e) {
      return Optional.of("The " + what + " are not a JSON object.");
    } catch (StepsExceededException | StackOverflowError e) {
      return Optional.of("The " + what + " cannot be checked: the tool's schema is too costly.");
    }
  }
}
