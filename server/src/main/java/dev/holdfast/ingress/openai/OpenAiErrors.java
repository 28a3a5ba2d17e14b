package dev.holdfast.ingress.openai;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.api.ChatFailures;
import dev.holdfast.ingress.wire.RefusedRequestException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Locale;

/** Errors as OpenAI's clients read them. */
final class OpenAiErrors {
  private static final String CODE = "openai_code";
  private static final String PARAM = "param";
  private static final String ACCEPTED = "accepted";

  /** When there may be an answer; its key finds the message again. */
  private static final Duration ASK_AGAIN = Duration.ofSeconds(10);

  private OpenAiErrors() {}

  /** A 400 about one parameter. */
  static RefusedRequestException parameter(String param, String code, String message) {
    return RefusedRequestException.invalid(message)
        .withDetails(new JsonObject().put(PARAM, param).put(CODE, code));
  }

  static RefusedRequestException invalid(String param, String message) {
    return parameter(param, "invalid_value", message);
  }

  static RefusedRequestException unsupported(String param, String message) {
    return parameter(param, "unsupported_parameter", message);
  }

  static RefusedRequestException unknown(String param, String code, String message) {
    return RefusedRequestException.unknown(message)
        .withDetails(new JsonObject().put(PARAM, param).put(CODE, code));
  }

  /** About a message that was accepted: to send it again would say it twice. */
  static RefusedRequestException accepted(FailureCode code, String message) {
    int status = statusOf(code);
    return new RefusedRequestException(
            status, code, message, status == 503 ? ASK_AGAIN : Duration.ZERO)
        .withDetails(new JsonObject().put(CODE, codeOf(code)).put(ACCEPTED, true));
  }

  /** Whether the client should not send the request again. */
  static boolean isAccepted(RefusedRequestException refused) {
    return refused.details().getBoolean(ACCEPTED, false);
  }

  /** What a model's failure means to the client. */
  static RefusedRequestException of(CallFailedException failed) {
    Failure why = failed.failure();
    return new RefusedRequestException(
            statusOf(why.code()), why.code(), said(why), why.retryAfter())
        .withDetails(new JsonObject().put(CODE, codeOf(why.code())));
  }

  /** Addresses and what is wrong behind them are the operator's business. */
  static String said(Failure why) {
    return switch (why.code()) {
      case NETWORK,
          TIMEOUT,
          STREAM_TIMEOUT,
          BACKEND_FAILURE,
          IO,
          AUTH,
          QUOTA,
          CIRCUIT_OPEN,
          INTERNAL ->
          "the model is unavailable (%s); try again later"
              .formatted(why.code().name().toLowerCase(Locale.ROOT));
      default -> why.message();
    };
  }

  /** The API's statuses, but for those that OpenAI's clients take for something else. */
  static int statusOf(FailureCode code) {
    return switch (code) {
      case CONTEXT_OVERFLOW -> 400;
      case QUOTA, BUDGET_EXHAUSTED -> 429;
      default -> ChatFailures.statusOf(code);
    };
  }

  private static String codeOf(FailureCode code) {
    return switch (code) {
      case CONTEXT_OVERFLOW -> "context_length_exceeded";
      case QUOTA, BUDGET_EXHAUSTED -> "insufficient_quota";
      case RATE_LIMITED -> "rate_limit_exceeded";
      default -> code.name().toLowerCase(Locale.ROOT);
    };
  }

  /** The body of an answer, {@code {"error": {…}}}. */
  static JsonObject body(RefusedRequestException refused) {
    JsonObject details = refused.details();
    String fallback =
        refused.status() == 401 ? "invalid_api_key" : refused.code().toLowerCase(Locale.ROOT);
    String code = details.getString(CODE, fallback);
    return new JsonObject()
        .put(
            "error",
            new JsonObject()
                .put("message", refused.said())
                .put("type", type(refused.status(), code))
                .put(PARAM, details.getValue(PARAM))
                .put("code", code));
  }

  private static String type(int status, String code) {
    if (code.equals("insufficient_quota")) {
      return code;
    }
    return switch (status) {
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 429 -> "rate_limit_error";
      default -> status < 500 ? "invalid_request_error" : "server_error";
    };
  }
}
