package dev.holdfast.ingress;

import dev.holdfast.api.FailureCode;
import java.time.Duration;

/**
 * A request that gets an error instead of what it asked for. What it says goes to the client: no
 * reasons of security.
 */
final class RefusedRequestException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;
  private final long retryAfterSecs;

  RefusedRequestException(int status, FailureCode code, String message) {
    this(status, code, message, Duration.ZERO);
  }

  /** {@code retryAfter}: zero when waiting does not help. */
  RefusedRequestException(int status, FailureCode code, String message, Duration retryAfter) {
    // No stack trace: refusals are what a flood consists of.
    super(message, null, false, false);
    this.status = status;
    this.code = code.name();
    this.retryAfterSecs = retryAfter.plusMillis(999).toSeconds();
  }

  static RefusedRequestException invalid(String message) {
    return new RefusedRequestException(400, FailureCode.INVALID_REQUEST, message);
  }

  static RefusedRequestException unknown(String message) {
    return new RefusedRequestException(404, FailureCode.ACTOR_NOT_FOUND, message);
  }

  int status() {
    return status;
  }

  String code() {
    return code;
  }

  long retryAfterSecs() {
    return retryAfterSecs;
  }

  /** Never null: every constructor takes one. */
  String said() {
    return String.valueOf(getMessage());
  }
}
