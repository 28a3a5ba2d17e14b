package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A request of the newer era, which its server may answer with what it needs to know first: then it
 * is sent again with that, and with the server's own state, until there is a result.
 */
final class InputRounds {
  static final int ROUNDS_MAX = 8;

  private InputRounds() {}

  /** Sends it. */
  interface Request {
    JsonObject send(JsonObject parameters) throws CallFailedException, InterruptedException;
  }

  /**
   * @param moot completes when the server is gone
   * @throws CallFailedException INVALID when it asks for what is not offered, or without an end
   */
  static JsonObject run(
      JsonObject parameters, McpInputs inputs, CompletableFuture<?> moot, Request request)
      throws CallFailedException, InterruptedException {
    JsonObject sent = parameters;
    for (int round = 0; ; round++) {
      JsonObject result = request.send(sent);
      if (!"input_required".equals(result.getValue("resultType"))) {
        return result;
      }
      if (round == ROUNDS_MAX) {
        throw refused("The extension asks for more again and again.");
      }
      sent = parameters.copy();
      if (result.getValue("inputRequests") instanceof JsonObject asked && !asked.isEmpty()) {
        sent.put("inputResponses", responses(asked, inputs, moot));
      }
      if (result.getValue("requestState") instanceof String state) {
        sent.put("requestState", state);
      }
    }
  }

  private static JsonObject responses(JsonObject asked, McpInputs inputs, CompletableFuture<?> moot)
      throws CallFailedException, InterruptedException {
    JsonObject responses = new JsonObject();
    for (Map.Entry<String, Object> each : asked) {
      Optional<JsonObject> response =
          each.getValue() instanceof JsonObject one
                  && "elicitation/create".equals(one.getValue("method"))
                  && one.getValue("params") instanceof JsonObject form
              ? inputs.elicit(form, moot)
              : Optional.empty();
      responses.put(
          each.getKey(),
          response.orElseThrow(
              () -> refused("The extension asks for something that is not possible here.")));
    }
    return responses;
  }

  private static CallFailedException refused(String text) {
    return new CallFailedException(
        Failure.of(FailureCode.ACTION_NOT_SUPPORTED, text).as(FailureKind.INVALID));
  }
}
