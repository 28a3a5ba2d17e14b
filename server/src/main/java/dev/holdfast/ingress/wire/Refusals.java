package dev.holdfast.ingress.wire;

import dev.holdfast.api.FailureCode;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.http.HttpServerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests that do not get what they asked for, and counts them. Thread-safe. */
public final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

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
      LOG.error("request: failed unexpectedly", why);
      count(500);
      Responses.refusal(
          request, new RefusedRequestException(500, FailureCode.INTERNAL, "internal error"));
    }
  }

  public void count(int status) {
    meters.counter("holdfast.http.refused", "status", Integer.toString(status)).increment();
  }
}
