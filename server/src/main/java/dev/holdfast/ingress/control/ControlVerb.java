package dev.holdfast.ingress.control;

import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.tools.schema.JsonSchema;
import dev.holdfast.tools.schema.SchemaRefusedException;
import dev.holdfast.tools.schema.StepsExceededException;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What can be asked for; each verb is an operation of the API. */
enum ControlVerb {
  STOP(
      "stopThread",
      "thread_id",
      """
      {"type": "object", "required": ["thread_id"], "additionalProperties": false,
       "properties": {
         "thread_id": {"type": "string", "minLength": 1, "maxLength": 1200},
         "all": {"type": "boolean"}}}
      """),
  RESET(
      "resetThread",
      "thread_id",
      """
      {"type": "object", "required": ["thread_id"], "additionalProperties": false,
       "properties": {"thread_id": {"type": "string", "minLength": 1, "maxLength": 1200}}}
      """),
  /** Without a mode it reads the one in force. */
  MODE(
      "setMode",
      "",
      """
      {"type": "object", "additionalProperties": false,
       "properties": {
         "mode": {"type": "string", "enum": ["safe", "auto"]},
         "reason": {"type": "string", "maxLength": 500}}}
      """),
  REPLAY(
      "replayDeadLetter",
      "id",
      """
      {"type": "object", "required": ["id"], "additionalProperties": false,
       "properties": {"id": {"type": "string", "minLength": 1, "maxLength": 512}}}
      """);

  private static final String READ_MODE = "getMode";

  private final String operation;
  private final String idField;
  private final String schema;

  @SuppressWarnings("ImmutableEnumChecker") // it is immutable
  private final JsonSchema judge;

  /**
   * @param operation its name in the contract
   * @param idField what is the id in the operation's path; empty when that has none
   */
  ControlVerb(String operation, String idField, String schema) {
    this.operation = operation;
    this.idField = idField;
    this.schema = schema;
    try {
      judge = JsonSchema.read(new JsonObject(schema));
    } catch (SchemaRefusedException e) {
      throw new IllegalStateException(e);
    }
  }

  static Optional<ControlVerb> named(String name) {
    return Arrays.stream(values()).filter(verb -> verb.label().equals(name)).findFirst();
  }

  /** As the last token of a subject. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  JsonObject schema() {
    return new JsonObject(schema);
  }

  /** The operation that a request asks for. */
  String operation(JsonObject request) {
    return this == MODE && request.isEmpty() ? READ_MODE : operation;
  }

  /**
   * @throws RefusedRequestException 400 with all that is wrong
   */
  void check(JsonObject request, int length) throws RefusedRequestException {
    List<String> problems;
    try {
      problems =
          judge.problems(request, length).stream()
              .map(problem -> problem.replaceFirst("^#(/|: )", ""))
              .toList();
    } catch (StepsExceededException _) {
      throw RefusedRequestException.invalid("the body is too complex");
    }
    if (!problems.isEmpty()) {
      throw RefusedRequestException.invalid(problems);
    }
  }

  /** The parameters of the operation's path. */
  Map<String, String> path(JsonObject request) {
    return idField.isEmpty() ? Map.of() : Map.of("id", request.getString(idField));
  }

  /** The body of the operation. */
  JsonObject body(JsonObject request) {
    JsonObject body = request.copy();
    if (!idField.isEmpty()) {
      Object _ = body.remove(idField);
    }
    return body;
  }
}
