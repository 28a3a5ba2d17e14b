package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import io.vertx.core.json.JsonObject;
import java.util.Map;

/** An action has ended because it wants to know something of a person first. */
final class InputNeededException extends CallFailedException {
  private static final long serialVersionUID = 1;

  private final transient JsonObject request;

  InputNeededException(String agent, JsonObject request) {
    super(
        Failure.of(
                FailureCode.INVALID_REQUEST,
                "agent %s asks a person for something, which only a task can wait for: use the tool"
                        .formatted(agent)
                    + " delegate")
            .withContext(Map.of(ExtensionTool.REPORTED_BY_EXTENSION, "202")));
    this.request = request;
  }

  JsonObject request() {
    return request;
  }
}
