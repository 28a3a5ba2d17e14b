package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.tools.SchemaCheck;
import io.vertx.core.json.JsonObject;
import java.util.Optional;

/** Holds what goes into an action and comes out of it against the schemas that it declares. */
final class PayloadCheck {
  private PayloadCheck() {}

  /**
   * Reads a payload; a blank one is an empty object.
   *
   * @throws CallFailedException INVALID_REQUEST, unsent, when it does not fit
   */
  static JsonObject payload(String json, String schema) throws CallFailedException {
    Optional<String> problem = problem("contents of the payload", json, schema);
    if (problem.isPresent()) {
      throw new CallFailedException(
          Failure.of(FailureCode.INVALID_REQUEST, problem.get()).unsent());
    }
    return new JsonObject(json.isBlank() ? "{}" : json);
  }

  /**
   * @param schema empty when anything fits
   * @throws CallFailedException BACKEND_FAILURE when it does not fit
   */
  static String result(String json, String schema) throws CallFailedException {
    Optional<String> problem =
        schema.isEmpty() ? Optional.empty() : problem("results", json, schema);
    if (problem.isPresent()) {
      throw new CallFailedException(Failure.of(FailureCode.BACKEND_FAILURE, problem.get()));
    }
    return json;
  }

  private static Optional<String> problem(String what, String json, String schema) {
    try {
      return SchemaCheck.of(what, schema).problem(json);
    } catch (RegistrationRefusedException e) {
      return Optional.ofNullable(e.getMessage());
    }
  }
}
