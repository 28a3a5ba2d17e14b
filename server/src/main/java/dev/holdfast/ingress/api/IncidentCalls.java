package dev.holdfast.ingress.api;

import dev.holdfast.incidents.Incident;
import dev.holdfast.incidents.IncidentSeverity;
import dev.holdfast.incidents.Incidents;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.StoreException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;

/** What is asked of incidents. */
final class IncidentCalls {
  private static final int PAGE = 100;

  private final Incidents incidents;

  IncidentCalls(Incidents incidents) {
    this.incidents = incidents;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listIncidents", this::list,
        "getIncident", this::find,
        "resolveIncident", this::resolve);
  }

  private ApiAnswer list(ApiRequest request) {
    boolean openOnly = request.text("state", "all").equals("open");
    JsonArray found = new JsonArray();
    incidents
        .list(openOnly, request.text("before", ""), request.whole("limit", PAGE))
        .forEach(incident -> found.add(incident.headline()));
    JsonObject open = new JsonObject();
    for (IncidentSeverity severity : IncidentSeverity.values()) {
      open.put(severity.label(), incidents.countOpen(severity));
    }
    return ApiAnswer.ok(new JsonObject().put("incidents", found).put("open", open));
  }

  private ApiAnswer find(ApiRequest request) throws RefusedRequestException {
    return answer(incidents.find(request.id()));
  }

  private ApiAnswer resolve(ApiRequest request) throws RefusedRequestException, StoreException {
    return answer(incidents.resolveBy(request.id(), OperatorAudit.actor(request)));
  }

  private static ApiAnswer answer(Optional<Incident> found) throws RefusedRequestException {
    return found
        .map(incident -> ApiAnswer.ok(incident.toJson()))
        .orElseThrow(() -> RefusedRequestException.unknown("no such incident"));
  }
}
