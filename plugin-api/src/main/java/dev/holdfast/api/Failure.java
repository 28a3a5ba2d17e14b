package dev.holdfast.api;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

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
  private static final String UNSENT = "unsent";

  public Failure {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(message, "message");
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

  /** The same failure, of a request of which surely not one byte has reached the other side. */
  public Failure unsent() {
    Map<String, String> facts = new HashMap<>(context);
    facts.put(UNSENT, "true");
    return withContext(facts);
  }

  /** Whether surely not one byte of the request has reached the other side: DNS, connect, TLS. */
  public boolean isUnsent() {
    return context.containsKey(UNSENT);
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
