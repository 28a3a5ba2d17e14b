package dev.holdfast.ingress.api;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.bus.News;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.ledgers.AuditRow;
import dev.holdfast.store.ledgers.AuditVerdict;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What is asked of the audit, and of the tool calls in it. */
final class AuditCalls {
  private static final int PAGE = 100;
  private static final Duration RETRY_LATER = Duration.ofSeconds(5);

  private final Audit audit;
  private final ExecutionCalls executions;
  private final ThreadAccess access;
  private final News news;

  AuditCalls(Audit audit, ExecutionCalls executions, ThreadAccess access, News news) {
    this.access = access;
    this.audit = audit;
    this.executions = executions;
    this.news = news;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listAudit", this::list,
        "verifyAudit", _ -> verify(),
        "getExecution", this::find,
        "rollBackExecution", this::rollBack);
  }

  private ApiAnswer list(ApiRequest request) {
    long before = Long.parseLong(request.text("before", "0"));
    List<AuditRow> rows =
        audit.list(ThreadAccess.reader(request.caller()), before, request.whole("limit", PAGE));
    return ApiAnswer.ok(new JsonObject().put("entries", views(rows)));
  }

  private ApiAnswer verify() {
    return ApiAnswer.ok(
        switch (audit.verify()) {
          case AuditVerdict.Whole(long count) ->
              new JsonObject().put("whole", true).put("count", count);
          case AuditVerdict.Broken(long no, String why) ->
              new JsonObject().put("whole", false).put("broken_at", no).put("why", why);
        });
  }

  private ApiAnswer find(ApiRequest request) throws RefusedRequestException {
    List<AuditRow> rows = audit.ofExecution(request.id());
    if (rows.isEmpty() || !access.maySee(request.caller(), rows.getFirst().entry().threadId())) {
      throw unknown();
    }
    JsonArray changes = new JsonArray();
    boolean undone = false;
    for (AuditRow row : rows) {
      switch (row.entry().what()) {
        case "tool.change" ->
            changes.addAll(
                details(row.entry().detailsJson()).getJsonArray("changes", new JsonArray()));
        case "tool.rolled_back" -> undone = true;
        default -> {
          // Questions and their answers.
        }
      }
    }
    AuditEntry first = rows.getFirst().entry();
    return ApiAnswer.ok(
        new JsonObject()
            .put("execution", request.id())
            .put("event_id", first.eventId())
            .put("thread_id", first.threadId())
            .put("changes", changes)
            .put("rolled_back", undone)
            .put("audit", views(rows)));
  }

  private ApiAnswer rollBack(ApiRequest request)
      throws RefusedRequestException, InterruptedException {
    String id = request.id();
    return switch (outcome(request)) {
      case ExecutionCalls.Outcome.Undone(int files) -> {
        JsonObject done = new JsonObject().put("execution", id).put("files", files);
        news.publish("execution.rolled_back", threadOf(id), "", done.encode());
        yield ApiAnswer.ok(done.put("rolled_back", true));
      }
      case ExecutionCalls.Outcome.Unknown() -> throw unknown();
      case ExecutionCalls.Outcome.AlreadyUndone() ->
          throw conflict("it has already been rolled back");
      case ExecutionCalls.Outcome.Conflict(String path, String why) ->
          throw conflict((path.isEmpty() ? "" : path + ": ") + why);
    };
  }

  private ExecutionCalls.Outcome outcome(ApiRequest request)
      throws RefusedRequestException, InterruptedException {
    boolean force = request.body().getBoolean("force", false);
    try {
      return executions.rollback(request.id(), OperatorAudit.actor(request), force);
    } catch (CallFailedException e) {
      Failure why = e.failure();
      boolean passing = why.kind() == FailureKind.TRANSIENT;
      throw new RefusedRequestException(
          passing ? 503 : 409, why.code(), why.message(), passing ? RETRY_LATER : Duration.ZERO);
    }
  }

  private String threadOf(String execution) {
    List<AuditRow> rows = audit.ofExecution(execution);
    return rows.isEmpty() ? "" : rows.getFirst().entry().threadId();
  }

  private static RefusedRequestException unknown() {
    return RefusedRequestException.unknown("no such execution, or its backup is gone");
  }

  private static RefusedRequestException conflict(String message) {
    return new RefusedRequestException(409, FailureCode.INVALID_REQUEST, message);
  }

  private static JsonArray views(List<AuditRow> rows) {
    return new JsonArray(List.copyOf(rows.stream().map(AuditCalls::view).toList()));
  }

  private static JsonObject view(AuditRow row) {
    return new JsonObject()
        .put("no", row.no())
        .put("at", row.at().toString())
        .put("what", row.entry().what())
        .put("execution", row.entry().execution())
        .put("event_id", row.entry().eventId())
        .put("thread_id", row.entry().threadId())
        .put("actor", row.entry().actor())
        .put("details", details(row.entry().detailsJson()))
        .put("hash", row.hash());
  }

  private static JsonObject details(String json) {
    try {
      return new JsonObject(json);
    } catch (DecodeException | ClassCastException _) {
      return new JsonObject().put("text", json); // somebody changed the row; verify says so
    }
  }
}
