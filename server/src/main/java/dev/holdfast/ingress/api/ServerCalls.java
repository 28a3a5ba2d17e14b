package dev.holdfast.ingress.api;

import dev.holdfast.ingress.IngressParts;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Usage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/** What is asked of the server as a whole: status, breakers, usage, configuration. */
final class ServerCalls {
  private static final int MONTH_SECS = 30 * 24 * 60 * 60;
  private static final List<String> STATES =
      List.of(
          "accepted",
          "pending",
          "running",
          "parked",
          "answered",
          "silent",
          "held",
          "dead_lettered",
          "cancelled");

  private static final JsonObject NOTHING = new JsonObject();

  private final Store store;
  private final Guards guards;
  private final ServerFacts facts;
  private final IngressParts parts;
  private final OperatorAudit records;

  ServerCalls(Store store, Guards guards, ServerFacts facts, IngressParts parts) {
    this.store = store;
    this.guards = guards;
    this.facts = facts;
    this.parts = parts;
    this.records = new OperatorAudit(store.audit());
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "getStatus", _ -> status(),
        "listConditions", _ -> ApiAnswer.ok(conditions(new JsonObject())),
        "listBreakers", _ -> breakers(),
        "tripBreaker", request -> changed(request, "breaker_trip", guards.trip(request.id())),
        "resetBreaker", request -> changed(request, "breaker_reset", guards.reset(request.id())),
        "getUsage", this::usage,
        "getConfig", _ -> ApiAnswer.ok(new JsonObject().put("config", facts.config().get())));
  }

  private ApiAnswer status() {
    Map<String, Long> counted = store.inbox().counts();
    JsonObject counts = new JsonObject();
    STATES.forEach(state -> counts.put(state, counted.getOrDefault(state, 0L)));
    return ApiAnswer.ok(
        conditions(new JsonObject())
            .put("version", facts.version())
            .put("started_at", facts.startedAt().toString())
            .put("ready", "UP".equals(parts.probes().ready().getString("status")))
            .put("counts", counts)
            .put("outbox_depth", store.outbox().depth())
            .put("threads_active", parts.turns().active().size())
            .put("data_dir", facts.dataDir()));
  }

  private JsonObject conditions(JsonObject into) {
    return into.put("conditions", parts.probes().conditions());
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

  private ApiAnswer usage(ApiRequest request) throws StoreException {
    Instant since = parts.time().now().minusSeconds(request.whole("since_secs", MONTH_SECS));
    List<Usage.Sum> sums = store.usage().sums(since);
    JsonArray views = new JsonArray();
    sums.forEach(sum -> views.add(view(sum)));
    return ApiAnswer.ok(
        new JsonObject()
            .put("since", since.toString())
            .put("sums", views)
            .put("total_cost_usd", sums.stream().mapToDouble(Usage.Sum::costUsd).sum())
            .put("budget", budget()));
  }

  /** The limits that are in force and what is used of those of all. */
  private JsonObject budget() throws StoreException {
    JsonObject config = facts.startedWith();
    JsonObject budget = config.getJsonObject("models", NOTHING).getJsonObject("budget", NOTHING);
    String name = config.getJsonObject("server", NOTHING).getString("time_zone", "");
    ZoneId zone = name.isEmpty() ? ZoneId.systemDefault() : ZoneId.of(name);
    LocalDate today = LocalDate.ofInstant(parts.time().now(), zone);
    return budget
        .copy()
        .put("today_usd", spentSince(today.atStartOfDay(zone).toInstant()))
        .put("month_usd", spentSince(today.withDayOfMonth(1).atStartOfDay(zone).toInstant()));
  }

  private double spentSince(Instant since) throws StoreException {
    return store.usage().spent(Usage.Whose.ALL, "", since, "").costUsd();
  }

  private static JsonObject view(Usage.Sum sum) {
    return new JsonObject()
        .put("provider", sum.provider())
        .put("model", sum.model())
        .put("outcome", sum.outcome())
        .put("calls", sum.calls())
        .put("input_tokens", sum.inputTokens())
        .put("output_tokens", sum.outputTokens())
        .put("cost_usd", sum.costUsd());
  }
}
