package dev.holdfast.ingress.wire;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.supervision.Fatal;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests that do not get what they asked for, and counts them. Thread-safe. */
public final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

  private static final Duration RETRY_LATER = Duration.ofSeconds(5);

  private final MeterRegistry meters;

  public Refusals(MeterRegistry meters) {
    this.meters = meters;
  }

  /** On the request's event loop. */
  public void send(HttpServerRequest request, Throwable why) {
    if (why instanceof RefusedRequestException refused) {
      count(refused.status());
      Responses.refusal(request, refused);
    } else {
      Fatal.check(why);
      LOG.error("request: failed unexpectedly", why);
      count(500);
      Responses.refusal(
          request, new RefusedRequestException(500, FailureCode.INTERNAL, "internal error"));
    }
  }

  public void count(int status) {
    meters.counter("holdfast.http.refused", "status", Integer.toString(status)).increment();
  }

  /** What the client is told when the store refused. */
  public static RefusedRequestException ofStore(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof CallFailedException failed) {
      Failure why = failed.failure();
      if (why.code() == FailureCode.INVALID_REQUEST) {
        return RefusedRequestException.invalid(why.message());
      }
      Duration wait = why.retryAfter().isZero() ? RETRY_LATER : why.retryAfter();
      return new RefusedRequestException(
          503, why.code(), "not accepted at the moment: " + why.message(), wait);
    }
    LOG.error("store: failed in an unforeseen way", cause);
    return new RefusedRequestException(503, FailureCode.INTERNAL, "internal error", RETRY_LATER);
  }
}
