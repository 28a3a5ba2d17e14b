package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.store.Store;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What is asked of the server as a whole: its status, its conditions and its configuration. */
final class StatusCalls {
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

  private final Store store;
  private final ThreadControl threads;
  private final Probes probes;
  private final ServerFacts facts;

  StatusCalls(Store store, ThreadControl threads, Probes probes, ServerFacts facts) {
    this.store = store;
    this.threads = threads;
    this.probes = probes;
    this.facts = facts;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "getStatus", this::status,
        "listConditions", _ -> ApiAnswer.ok(conditions(new JsonObject())),
        "getConfig", _ -> ApiAnswer.ok(new JsonObject().put("config", facts.config().get())));
  }

  private ApiAnswer status(ApiRequest request) {
    Map<String, Long> counted = store.inbox().counts();
    JsonObject counts = new JsonObject();
    STATES.forEach(state -> counts.put(state, counted.getOrDefault(state, 0L)));
    return ApiAnswer.ok(
        conditions(new JsonObject())
            .put("caller", caller(request.caller()))
            .put("version", facts.version())
            .put("started_at", facts.startedAt().toString())
            .put("ready", "UP".equals(probes.ready().getString("status")))
            .put("counts", counts)
            .put("outbox_depth", store.outbox().depth())
            .put("threads_active", threads.active().size())
            .put("pairings_pending", facts.pairingsPending().getAsInt())
            .put("choice", new JsonArray(facts.choice()))
            .put("data_dir", facts.dataDir()));
  }

  private static JsonObject caller(Caller caller) {
    return new JsonObject()
        .put("name", caller.name())
        .put("scope", caller.scope().name().toLowerCase(Locale.ROOT));
  }

  private JsonObject conditions(JsonObject into) {
    return into.put("conditions", probes.conditions());
  }
}
