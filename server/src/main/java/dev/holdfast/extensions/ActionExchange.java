package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.extensions.ExtensionConfig.ActionConfig;
import dev.holdfast.processes.ChildResult;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Map;

/** One call of an action: the object that its program reads, and the one that it writes. */
record ActionExchange(String extension, ActionConfig action, ToolContext context) {
  private static final String VERSION = "v1";
  private static final int NOT_SUPPORTED = 501;
  private static final int TIMED_OUT = 504;
  private static final int TEXT_UNITS_MAX = 500;

  JsonObject request(JsonObject arguments) {
    return new JsonObject()
        .put("request_id", context.key())
        .put("api_version", VERSION)
        .put("tool", extension)
        .put("action", action.name())
        .put(
            "context",
            new JsonObject()
                .put("thread_id", context.threadId())
                .put("event_id", context.eventId())
                .put("sender", context.sender())
                .put("idempotency_key", context.key()))
        .putNull("plan_id")
        .putNull("task_id")
        .put("correlation_id", context.eventId())
        .put("payload", arguments);
  }

  /**
   * What the model reads.
   *
   * @throws CallFailedException when the program failed, or says so
   */
  ToolResult answer(ChildResult result) throws CallFailedException {
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
      answer = new JsonObject(result.output());
    } catch (DecodeException e) {
      throw broken("did not write one JSON object");
    }
    if (!context.key().equals(answer.getValue("request_id"))) {
      throw broken("answered another request");
    }
    return "success".equals(answer.getValue("status")) && isZero(answer.getValue("code"))
        ? success(answer)
        : error(answer);
  }

  private static boolean isZero(Object code) {
    return code instanceof Number number && number.doubleValue() == 0;
  }

  private ToolResult success(JsonObject answer) throws CallFailedException {
    if (!(answer.getValue("result") instanceof JsonObject result)) {
      throw broken("answered without a result");
    }
    return switch (result.getValue("data")) {
      case JsonObject object -> ToolResult.ok(object.encode());
      case null -> ToolResult.ok("(no output)");
      case Object data -> ToolResult.ok(String.valueOf(data));
    };
  }

  /** Only what says that the program itself is at fault is thrown: the breaker hears of that. */
  private ToolResult error(JsonObject answer) throws CallFailedException {
    int code =
        answer.getValue("code") instanceof Number number
            ? Math.clamp(number.longValue(), Integer.MIN_VALUE, Integer.MAX_VALUE)
            : 0;
    Failure failure =
        Failure.of(code(code), text(answer.getValue("error"), code))
            .withContext(Map.of(ExtensionTool.REPORTED_BY_EXTENSION, Integer.toString(code)));
    if (failure.isPassing()) {
      throw new CallFailedException(failure);
    }
    return ToolResult.error(failure);
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
        ? "extension %s reported an error (code=%d)".formatted(extension, code)
        : Texts.cut(Texts.visible(said), TEXT_UNITS_MAX);
  }

  private CallFailedException broken(String what) {
    return new CallFailedException(
        Failure.of(FailureCode.BACKEND_FAILURE, "extension " + extension + " " + what));
  }
}
