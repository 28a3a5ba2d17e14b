package dev.holdfast.api;

import java.time.Duration;
import java.util.Map;

/**
 * A foreseen failure, as data.
 *
 * @param message one sentence for an operator; holds no secret and no stack trace
 * @param retryAfter how long the other side asked to wait; zero when it named no time
 * @param context names and numbers that help to find the cause, for example {@code status: 503}
 */
public record Failure(
    FailureKind kind,
    FailureCode code,
    String message,
    Duration retryAfter,
    Map<String, String> context) {

  public Failure {
    context = Map.copyOf(context);
    if (retryAfter.isNegative()) {
      throw new IllegalArgumentException("retryAfter is negative: " + retryAfter);
    }
  }

  /** A failure of the code's own kind, with no wait asked for. */
  public static Failure of(FailureCode code, String message) {
    return new Failure(code.kind(), code, message, Duration.ZERO, Map.of());
  }

  /** The same failure, of another kind: a code's own kind is only its usual one. */
  public Failure as(FailureKind other) {
    return new Failure(other, code, message, retryAfter, context);
  }

  public Failure withRetryAfter(Duration wait) {
    return new Failure(kind, code, message, wait, context);
  }

  public Failure withContext(Map<String, String> facts) {
    return new Failure(kind, code, message, retryAfter, facts);
  }

  /** Code and message in one line, for stories and dead letters. */
  public String summary() {
    return code + ": " + message;
  }

  /** Whether another try may succeed. */
  public boolean isPassing() {
    return kind == FailureKind.TRANSIENT;
  }
}
