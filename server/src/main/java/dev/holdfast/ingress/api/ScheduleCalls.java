package dev.holdfast.ingress.api;

import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.ledgers.Schedule;
import dev.holdfast.store.ledgers.Schedules;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Map;

/** What is asked of the wake-ups of chat threads. */
final class ScheduleCalls {
  private static final int PAGE = 100;

  private final Schedules schedules;

  ScheduleCalls(Schedules schedules) {
    this.schedules = schedules;
  }

  Map<String, ApiCall> calls() {
    return Map.of("listSchedules", this::list, "cancelSchedule", this::cancel);
  }

  private ApiAnswer list(ApiRequest request) {
    String thread = request.text("thread", "");
    JsonArray all = new JsonArray();
    schedules
        .active(
            ThreadAccess.reader(request.caller()),
            thread.isEmpty() ? "" : ApiRequest.threadId(thread),
            request.whole("limit", PAGE))
        .forEach(schedule -> all.add(view(schedule)));
    return ApiAnswer.ok(new JsonObject().put("schedules", all));
  }

  private ApiAnswer cancel(ApiRequest request) throws RefusedRequestException, StoreException {
    Schedule found =
        schedules
            .find(request.id())
            .orElseThrow(() -> RefusedRequestException.unknown("no such wake-up"));
    AuditEntry entry =
        new AuditEntry(
            "operator.schedule_cancelled",
            "",
            "",
            found.threadId(),
            request.caller().name(),
            view(found).encode());
    return ApiAnswer.ok(new JsonObject().put("cancelled", schedules.cancel(request.id(), entry)));
  }

  private static JsonObject view(Schedule schedule) {
    return new JsonObject()
        .put("id", schedule.id())
        .put("thread_id", schedule.threadId())
        .put("person", schedule.person())
        .put("kind", schedule.kind().name().toLowerCase(Locale.ROOT))
        .put("spec", schedule.spec())
        .put("zone", schedule.zone())
        .put("text", schedule.text())
        .put("missed", schedule.missed().name().toLowerCase(Locale.ROOT))
        .put("made_at", schedule.madeAt().toString())
        .put("next_at", schedule.next().toString())
        .put("open_event_id", schedule.openEventId());
  }
}
