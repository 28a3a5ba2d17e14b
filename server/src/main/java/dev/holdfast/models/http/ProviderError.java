package dev.holdfast.models.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.holdfast.api.RetryAfter;
import java.time.Duration;
import java.util.Optional;

/**
 * A provider's error object, whichever of the five shapes it has. Missing parts are empty.
 *
 * @param status what the object itself says, as an HTTP status; 0 when it says nothing
 * @param type the coarse reason: {@code overloaded_error}, {@code RESOURCE_EXHAUSTED}
 * @param code the fine one: {@code insufficient_quota}, {@code enforced_spend_limit_reached}
 * @param facts the rest of the object, for what only a detail tells
 */
record ProviderError(
    int status, String type, String code, String message, String facts, Duration retryAfter) {
  private static final ObjectMapper JSON = new ObjectMapper();

  static final ProviderError NONE = new ProviderError(0, "", "", "", "", Duration.ZERO);

  /** Of the body of an answer; {@link #NONE} when there is no error object in it. */
  static ProviderError ofBody(String body) {
    try {
      return of(JSON.readTree(body)).orElse(NONE);
    } catch (JsonProcessingException _) {
      return NONE;
    }
  }

  /** The error that {@code root} is or holds, if it does. */
  static Optional<ProviderError> of(JsonNode root) {
    JsonNode top = root.isArray() && !root.isEmpty() ? root.get(0) : root;
    int code = top.path("base_resp").path("status_code").asInt(0);
    if (code != 0) {
      String message = top.path("base_resp").path("status_msg").asText("");
      return Optional.of(
          new ProviderError(
              MinimaxCodes.status(code), "", "minimax_" + code, message, message, Duration.ZERO));
    }
    JsonNode error = top.path("error");
    if (error.isTextual()) {
      return Optional.of(new ProviderError(0, "", "", error.asText(), "", Duration.ZERO));
    }
    return error.isObject() ? Optional.of(ofObject(error)) : Optional.empty();
  }

  private static ProviderError ofObject(JsonNode error) {
    JsonNode code = error.path("code");
    JsonNode details = error.path("details");
    String type = error.path("type").asText(error.path("status").asText(""));
    String fine =
        code.isNumber() ? reason(details) : code.asText(details.path("error_code").asText(""));
    int status = code.isNumber() ? code.asInt() : 0;
    String shape = error.path("status").asText("");
    return new ProviderError(
        status,
        type.isEmpty() ? shape : type,
        fine.equals("null") ? "" : fine,
        error.path("message").asText(""),
        error.toString(),
        wait(details));
  }

  private static String reason(JsonNode details) {
    return findIn(details, "reason").asText("");
  }

  private static Duration wait(JsonNode details) {
    return RetryAfter.ofText(findIn(details, "retryDelay").asText(""));
  }

  private static JsonNode findIn(JsonNode details, String field) {
    for (JsonNode detail : details) {
      if (detail.has(field)) {
        return detail.get(field);
      }
    }
    return MissingNode.getInstance();
  }
}
