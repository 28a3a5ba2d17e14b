package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.ledgers.Audit;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Map;

/** What is asked of the breakers. */
final class BreakerCalls {
  private final Guards guards;
  private final OperatorAudit records;

  BreakerCalls(Guards guards, Audit audit) {
    this.guards = guards;
    this.records = new OperatorAudit(audit);
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listBreakers", _ -> breakers(),
        "tripBreaker", request -> changed(request, "breaker_trip", guards.trip(request.id())),
        "resetBreaker", request -> changed(request, "breaker_reset", guards.reset(request.id())));
  }

  private ApiAnswer breakers() {
    JsonArray all = new JsonArray();
    guards.breakers().forEach(breaker -> all.add(view(breaker)));
    return ApiAnswer.ok(new JsonObject().put("breakers", all));
  }

  private ApiAnswer changed(ApiRequest request, String what, boolean known)
      throws RefusedRequestException {
    BreakerView breaker =
        guards.breakers().stream()
            .filter(each -> known && each.name().equals(request.id()))
            .findFirst()
            .orElseThrow(() -> RefusedRequestException.unknown("no such breaker"));
    records.done(request, what, "", new JsonObject().put("name", breaker.name()));
    return ApiAnswer.ok(new JsonObject().put("name", breaker.name()).put("state", breaker.state()));
  }

  private static JsonObject view(BreakerView breaker) {
    Instant until = breaker.openUntil();
    return new JsonObject()
        .put("name", breaker.name())
        .put("state", breaker.state())
        .put("consecutive_failures", breaker.consecutiveFailures())
        .put("opens", breaker.opens())
        .put("open_until", until == null ? null : until.toString());
  }
}
