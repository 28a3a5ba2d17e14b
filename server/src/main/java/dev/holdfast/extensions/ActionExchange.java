package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.processes.ChildResult;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One call of an action: the object that its program reads, and the one that it writes.
 *
 * @param limit how long the program may take
 * @param redaction frees a text of secrets: the program knows some and may say them anywhere
 */
record ActionExchange(
    String extension,
    String action,
    ActionOrigin origin,
    Duration limit,
    UnaryOperator<String> redaction) {
  private static final String VERSION = "v1";
  private static final String ASKS = "awaiting_input";
  private static final String FAILED = "error";
  private static final int NOT_SUPPORTED = 501;
  private static final int TIMED_OUT = 504;

  JsonObject request(JsonObject payload) {
    return new JsonObject()
        .put("request_id", origin.key())
        .put("api_version", VERSION)
        .put("tool", extension)
        .put("action", action)
        .put("context", origin.context().copy().put("timeout_secs", limit.toSeconds()))
        .put("plan_id", origin.planId())
        .put("task_id", origin.taskId())
        .put("correlation_id", origin.correlationId())
        .put("payload", payload);
  }

  /**
   * The data of the result: a value of JSON, null among them.
   *
   * @throws CallFailedException when the program failed, or says so; then with {@link
   *     ExtensionTool#REPORTED_BY_EXTENSION} in its context, unless it says that it does not know:
   *     that something else took too long
   */
  @Nullable Object data(ChildResult result) throws CallFailedException {
    if (result.timedOut()) {
      String text =
          "Agent %s timed out after %d seconds".formatted(origin.agent(), limit.toSeconds());
      throw new CallFailedException(Failure.of(FailureCode.TIMEOUT, text));
    }
    if (result.exceeded() != ChildResult.Exceeded.NOTHING) {
      throw broken(
          "was ended: it used too much " + result.exceeded().name().toLowerCase(Locale.ROOT));
    }
    if (result.truncated()) {
      throw broken("wrote more than limits.output_bytes");
    }
    if (result.exitCode() != 0) {
      throw broken("ended with exit code " + result.exitCode());
    }
    JsonObject answer;
    try {
      answer = new JsonObject(ActionProgress.removedFrom(result.output()));
    } catch (DecodeException e) {
      throw broken("did not write one JSON object");
    }
    if (!origin.key().equals(answer.getValue("request_id"))) {
      throw broken("answered another request");
    }
    return dataOf(JsonTexts.mapped(answer, redaction));
  }

  private @Nullable Object dataOf(JsonObject answer) throws CallFailedException {
    if (ASKS.equals(answer.getValue("status"))
        && answer.getValue("result") instanceof JsonObject result
        && result.getValue("data") instanceof JsonObject request) {
      throw new InputNeededException(origin.agent(), request);
    }
    if (!"success".equals(answer.getValue("status")) || !isZero(answer.getValue("code"))) {
      throw new CallFailedException(reported(answer));
    }
    if (!(answer.getValue("result") instanceof JsonObject result)) {
      throw broken("answered without a result");
    }
    return result.getValue("data");
  }

  private static boolean isZero(Object code) {
    return code instanceof Number number && number.doubleValue() == 0;
  }

  private Failure reported(JsonObject answer) {
    int code =
        answer.getValue("code") instanceof Number number
            ? Math.clamp(number.longValue(), Integer.MIN_VALUE, Integer.MAX_VALUE)
            : 0;
    Failure failure = Failure.of(code(code), text(answer.getValue("error"), code));
    return FAILED.equals(answer.getValue("status")) && code != TIMED_OUT
        ? failure.withContext(Map.of(ExtensionTool.REPORTED_BY_EXTENSION, Integer.toString(code)))
        : failure;
  }

  private static FailureCode code(int code) {
    if (code >= 400 && code < 500) {
      return FailureCode.INVALID_REQUEST;
    }
    return switch (code) {
      case NOT_SUPPORTED -> FailureCode.ACTION_NOT_SUPPORTED;
      case TIMED_OUT -> FailureCode.TIMEOUT;
      default -> FailureCode.BACKEND_FAILURE;
    };
  }

  private String text(Object error, int code) {
    String said =
        switch (error) {
          case String text -> text;
          case JsonObject object when object.getValue("message") instanceof String text -> text;
          case null, default -> "";
        };
    return said.isBlank()
        ? "agent %s reported error (code=%d)".formatted(origin.agent(), code)
        : Texts.shown(said);
  }

  private CallFailedException broken(String what) {
    return new CallFailedException(
        Failure.of(FailureCode.BACKEND_FAILURE, "extension " + extension + " " + what));
  }
}
