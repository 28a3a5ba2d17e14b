package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.drills.Drill;
import dev.holdfast.drills.DrillKind;
import dev.holdfast.drills.DrillRefusedException;
import dev.holdfast.drills.Drills;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.ledgers.Audit;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What is asked of the drills. */
final class DrillCalls {
  private static final int CONFLICT = 409;

  private final Drills drills;
  private final OperatorAudit records;

  DrillCalls(Drills drills, Audit audit) {
    this.drills = drills;
    this.records = new OperatorAudit(audit);
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listDrills",
        _ -> list(),
        "startDrill",
        this::start,
        "getDrill",
        request -> answer(drills.find(request.id())),
        "stopDrill",
        this::stop);
  }

  private ApiAnswer list() {
    JsonArray kinds = new JsonArray();
    for (DrillKind kind : DrillKind.values()) {
      JsonArray promises = new JsonArray();
      kind.promises().forEach(promise -> promises.add(promise.text()));
      kinds.add(
          new JsonObject()
              .put("name", kind.label())
              .put("fault", kind.fault())
              .put("target", kind.target())
              .put("promises", promises));
    }
    JsonArray runs = new JsonArray();
    drills.all().forEach(drill -> runs.add(headline(drill)));
    return ApiAnswer.ok(new JsonObject().put("drills", kinds).put("runs", runs));
  }

  private static JsonObject headline(Drill drill) {
    JsonObject all = drill.toJson();
    JsonObject headline = new JsonObject();
    for (String member :
        List.of("id", "name", "target", "state", "by", "begun_at", "ends_at", "held")) {
      headline.put(member, all.getValue(member));
    }
    return headline;
  }

  private ApiAnswer start(ApiRequest request) throws RefusedRequestException {
    String name = Objects.requireNonNullElse(request.bodyText("name"), "");
    String target = Objects.requireNonNullElse(request.bodyText("target"), "");
    Duration length =
        request.body().getValue("for_secs") instanceof Number secs
            ? Duration.ofSeconds(secs.longValue())
            : Drills.LENGTH_USUAL;
    Drill drill;
    try {
      drill = drills.start(name, target, length, OperatorAudit.actor(request));
    } catch (DrillRefusedException e) {
      throw e.isConflict()
          ? new RefusedRequestException(CONFLICT, FailureCode.INVALID_REQUEST, e.said())
          : RefusedRequestException.invalid(e.said());
    }
    JsonObject details =
        new JsonObject()
            .put("drill_id", drill.id())
            .put("name", name)
            .put("target", target)
            .put("for_secs", length.toSeconds());
    records.done(request, "drill_start", "", details);
    return ApiAnswer.ok(drill.toJson());
  }

  private ApiAnswer stop(ApiRequest request) throws RefusedRequestException {
    Optional<Drill> stopped = drills.stop(request.id());
    stopped.ifPresent(
        drill ->
            records.done(request, "drill_stop", "", new JsonObject().put("drill_id", drill.id())));
    return answer(stopped);
  }

  private static ApiAnswer answer(Optional<Drill> found) throws RefusedRequestException {
    return ApiAnswer.ok(
        found
            .orElseThrow(
                () ->
                    RefusedRequestException.unknown(
                        "no such drill; those of an earlier run are in the audit"))
            .toJson());
  }
}
