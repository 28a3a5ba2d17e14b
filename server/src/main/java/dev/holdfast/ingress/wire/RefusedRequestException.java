package dev.holdfast.ingress.wire;

import dev.holdfast.api.FailureCode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;

/**
 * A request that gets an error instead of what it asked for. What it says goes to the client: no
 * reasons of security.
 */
public final class RefusedRequestException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;
  private final long retryAfterSecs;
  private transient JsonObject details = new JsonObject();

  public RefusedRequestException(int status, FailureCode code, String message) {
    this(status, code, message, Duration.ZERO);
  }

  /** {@code retryAfter}: zero when waiting does not help. */
  public RefusedRequestException(
      int status, FailureCode code, String message, Duration retryAfter) {
    // No stack trace: refusals are what a flood consists of.
    super(message, null, false, false);
    this.status = status;
    this.code = code.name();
    this.retryAfterSecs = retryAfter.plusMillis(999).toSeconds();
  }

  public static RefusedRequestException invalid(String message) {
    return new RefusedRequestException(400, FailureCode.INVALID_REQUEST, message);
  }

  /** All that is wrong with a request; {@code details.problems} lists it. */
  public static RefusedRequestException invalid(List<String> problems) {
    return invalid(String.join("; ", problems))
        .withDetails(new JsonObject().put("problems", new JsonArray(problems)));
  }

  public static RefusedRequestException unknown(String message) {
    return new RefusedRequestException(404, FailureCode.ACTOR_NOT_FOUND, message);
  }

  public static RefusedRequestException unauthorized() {
    return new RefusedRequestException(401, FailureCode.AUTH, "unauthorized");
  }

  public static RefusedRequestException forbidden() {
    return new RefusedRequestException(403, FailureCode.AUTH, "forbidden");
  }

  /** What a program can make use of; a sender's words only as far as they may be shown. */
  public RefusedRequestException withDetails(JsonObject facts) {
    details = facts;
    return this;
  }

  public JsonObject details() {
    return details;
  }

  public int status() {
    return status;
  }

  public String code() {
    return code;
  }

  public long retryAfterSecs() {
    return retryAfterSecs;
  }

  /** Never null: every constructor takes one. */
  public String said() {
    return String.valueOf(getMessage());
  }
}
