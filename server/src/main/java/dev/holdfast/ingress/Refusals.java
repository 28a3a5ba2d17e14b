package dev.holdfast.ingress;

import dev.holdfast.api.FailureCode;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.http.HttpServerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests that do not get what they asked for, and counts them. Thread-safe. */
final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

  private final MeterRegistry meters;

  Refusals(MeterRegistry meters) {
    this.meters = meters;
  }

  /** On the request's event loop. */
  void send(HttpServerRequest request, Throwable why) {
    if (why instanceof RefusedRequestException refused) {
      count(refused.status());
      Respond.refusal(request, refused);
    } else {
      LOG.error("request: failed in an unforeseen way", why);
      count(500);
      Respond.refusal(
          request, new RefusedRequestException(500, FailureCode.INTERNAL, "internal error"));
    }
  }

  void count(int status) {
    meters.counter("holdfast.http.refused", "status", Integer.toString(status)).increment();
  }
}
