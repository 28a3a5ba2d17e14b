package dev.holdfast.ingress.api;

import dev.holdfast.config.Secrets;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.modes.Mode;
import dev.holdfast.modes.ModeChange;
import dev.holdfast.modes.ModeInputs;
import dev.holdfast.modes.ModeNow;
import dev.holdfast.modes.Modes;
import dev.holdfast.store.engine.StoreException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What is asked of the mode. */
final class ModeCalls {
  private static final int REASON_MAX = 500;

  private final Modes modes;
  private final ModeInputs looks;
  private final Secrets secrets;

  /**
   * @param secrets never a part of a reason that is kept
   */
  ModeCalls(Modes modes, ModeInputs looks, Secrets secrets) {
    this.modes = modes;
    this.looks = looks;
    this.secrets = secrets;
  }

  Map<String, ApiCall> calls() {
    return Map.of("getMode", _ -> ApiAnswer.ok(view()), "setMode", this::set);
  }

  private ApiAnswer set(ApiRequest request) throws RefusedRequestException, StoreException {
    String reason = Objects.requireNonNullElse(request.bodyText("reason"), "").strip();
    if (reason.length() > REASON_MAX) {
      throw RefusedRequestException.invalid("a reason has at most " + REASON_MAX + " characters");
    }
    String kept = secrets.redact(reason);
    String actor = OperatorAudit.actor(request);
    String mode = Objects.requireNonNullElse(request.bodyText("mode"), "");
    List<ModeChange> before = modes.changes();
    switch (mode) {
      case "safe" -> modes.stop(kept, actor);
      case "auto" -> modes.goOn(looks.look(), kept, actor);
      default -> throw RefusedRequestException.invalid("mode must be safe or auto");
    }
    return ApiAnswer.ok(view().put("changed", !modes.changes().equals(before)));
  }

  private JsonObject view() {
    ModeNow now = modes.get();
    List<ModeChange> changes = modes.changes();
    JsonArray last = new JsonArray();
    changes.forEach(change -> last.add(change.toJson()));
    Mode mode = now.mode();
    return new JsonObject()
        .put("mode", mode.label())
        .put("since", changes.isEmpty() ? null : changes.getFirst().at().toString())
        .put("rule", modes.rule().label())
        .put("reason", modes.reason())
        .put("exit_rule", modes.rule().exit())
        .put("by_hand", !changes.isEmpty() && changes.getFirst().isByHand())
        .put(
            "allows",
            new JsonObject()
                .put("messages", true)
                .put("turns", mode.runsTurns())
                .put("remote_models", mode.remoteModels())
                .put("tasks", mode.startsTasks())
                .put("strategic_tasks", mode.startsStrategicTasks())
                .put("replies", true))
        .put("changes", last);
  }
}
