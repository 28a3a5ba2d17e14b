package dev.holdfast.api.channels;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.RetryAfter;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What became of a reply that was posted by an HTTP request. Whatever leaves a doubt is unknown: a
 * reply that counts as not delivered is posted again.
 */
public final class HttpOutcome {
  private HttpOutcome() {}

  /**
   * By the status of the answer.
   *
   * <p>500 is unknown, as every 5xx but 503: a handler that fails after it has stored the message
   * answers 500 as well, and only 503 says that the work was not begun. A redirect is not the
   * platform's: a login page or an address that has moved stands before it, and may pass, so the
   * platform counts as not reached.
   *
   * @param headers of the answer, by lower-case name
   * @param platformId the platform's id of the post; empty when it named none, or did not take it
   * @param now for a {@code Retry-After} that names a date
   */
  public static PostOutcome of(
      int status, Map<String, List<String>> headers, String platformId, Instant now) {
    if (status >= 200 && status < 300) {
      return new PostOutcome.Sent(platformId);
    }
    Failure failure =
        failure(status)
            .withRetryAfter(RetryAfter.ofHeaders(headers, now))
            .withContext(Map.of("status", Integer.toString(status)));
    return status >= 500 && status != 503
        ? new PostOutcome.Unknown(failure)
        : new PostOutcome.NotDelivered(failure);
  }

  /** When no answer came. */
  public static PostOutcome of(CallFailedException failed) {
    Failure failure = failed.failure();
    boolean isUnsent =
        failure.isUnsent()
            || failure.code() == FailureCode.CIRCUIT_OPEN
            || failure.code() == FailureCode.BULKHEAD_FULL;
    return isUnsent ? new PostOutcome.NotDelivered(failure) : new PostOutcome.Unknown(failure);
  }

  private static Failure failure(int status) {
    String said = "the platform answered " + status;
    return switch (status) {
      case 429 -> Failure.of(FailureCode.RATE_LIMITED, said);
      case 503 -> Failure.of(FailureCode.OVERLOADED, said);
      // The request itself came too slowly, or too early: another one may pass.
      case 408, 425 -> Failure.of(FailureCode.BACKEND_FAILURE, said);
      case 401, 403 -> Failure.of(FailureCode.AUTH, said);
      case 402, 404 -> Failure.of(FailureCode.INVALID_REQUEST, said).as(FailureKind.PERMANENT);
      case 410 ->
          Failure.of(FailureCode.INVALID_REQUEST, said + ": it wants no more replies")
              .as(FailureKind.PERMANENT);
      default -> {
        if (status >= 500) {
          yield Failure.of(FailureCode.BACKEND_FAILURE, said);
        }
        if (status < 400) {
          yield Failure.of(
              FailureCode.NETWORK,
              "something before the platform answered %d: the configured address must be the final"
                      .formatted(status)
                  + " one");
        }
        yield Failure.of(FailureCode.INVALID_REQUEST, said);
      }
    };
  }
}
