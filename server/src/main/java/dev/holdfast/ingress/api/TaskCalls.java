package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.ledger.TaskInput;
import dev.holdfast.tasks.ledger.TaskInputs;
import dev.holdfast.tasks.ledger.TaskSnapshot;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;

/** What is asked of single tasks. */
final class TaskCalls {
  static final String PLAN_RUNS = "its plan still runs; try again when it has ended";
  private static final int PAGE = 50;

  private final Plans plans;
  private final PlanLedger ledger;
  private final PlanViews views;
  private final ThreadAccess access;

  TaskCalls(Plans plans, ThreadAccess access, Time time) {
    this.plans = plans;
    this.ledger = plans.ledger();
    this.views = new PlanViews(plans, time);
    this.access = access;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listTasks", this::list,
        "getTask", this::get,
        "cancelTask", this::cancel,
        "retryTask", this::retry,
        "answerTask", this::answer);
  }

  private ApiAnswer list(ApiRequest request) {
    JsonArray all = new JsonArray();
    for (TaskSnapshot found :
        ledger.openTasks(
            ThreadAccess.reader(request.caller()),
            request.text("state", ""),
            request.whole("limit", PAGE))) {
      ledger.find(found.task().planId()).ifPresent(plan -> all.add(views.task(found, plan)));
    }
    return ApiAnswer.ok(new JsonObject().put("tasks", all));
  }

  private record Seen(Task task, Plan plan) {}

  private Seen visible(ApiRequest request) throws RefusedRequestException {
    Optional<Task> task = ledger.task(request.id());
    Optional<Plan> plan =
        task.flatMap(found -> ledger.find(found.planId()))
            .filter(found -> access.maySee(request.caller(), found.origin().threadId()));
    if (plan.isEmpty()) {
      throw RefusedRequestException.unknown("no such task");
    }
    return new Seen(task.orElseThrow(), plan.get());
  }

  private ApiAnswer get(ApiRequest request) throws RefusedRequestException {
    Seen seen = visible(request);
    return ApiAnswer.ok(views.task(seen.task(), seen.plan()));
  }

  private ApiAnswer now(Seen seen) {
    return ApiAnswer.ok(views.task(seen.task(), seen.plan()));
  }

  private ApiAnswer cancel(ApiRequest request) throws RefusedRequestException, StoreException {
    Seen seen = visible(request);
    String by = "cancelled by " + request.caller().name();
    if (!plans.cancelTask(seen.task().id(), by, entry(request, "task_cancelled", seen))) {
      throw new RefusedRequestException(
          409, FailureCode.INVALID_REQUEST, "the task has ended already");
    }
    return now(seen);
  }

  private ApiAnswer retry(ApiRequest request) throws RefusedRequestException, StoreException {
    Seen seen = visible(request);
    Optional<Plan> plan = plans.retry(seen.task().id(), entry(request, "task_retried", seen));
    if (plan.isEmpty()) {
      throw new RefusedRequestException(
          409,
          FailureCode.INVALID_REQUEST,
          seen.plan().state().isTerminal()
              ? "only a task that was given up, and was not tried again since, can be tried again"
              : PLAN_RUNS);
    }
    return new ApiAnswer(202, views.whole(plan.get()));
  }

  private ApiAnswer answer(ApiRequest request) throws RefusedRequestException, StoreException {
    Seen seen = visible(request);
    access.check(request.caller(), seen.plan().origin().threadId());
    Optional<TaskInput> input = ledger.inputs().open(seen.task().id());
    if (input.isEmpty()) {
      throw new RefusedRequestException(
          409, FailureCode.INVALID_REQUEST, "the task does not wait for an answer");
    }
    String answer = request.body().getString("answer", "");
    String problem = input.get().question().problem(answer);
    if (problem != null) {
      throw RefusedRequestException.invalid(problem);
    }
    AuditEntry entry =
        entry(
            request,
            "task_answered",
            seen,
            TaskInputs.isForChats(input.get()) ? answer : "(a credential)");
    return switch (plans.answer(input.get(), answer, request.caller().name(), entry)) {
      case TAKEN -> now(seen);
      case TOO_LATE ->
          throw new RefusedRequestException(
              409, FailureCode.INVALID_REQUEST, "the task does not wait for an answer any more");
    };
  }

  private static AuditEntry entry(ApiRequest request, String what, Seen seen) {
    return entry(request, what, seen, "");
  }

  private static AuditEntry entry(ApiRequest request, String what, Seen seen, String answer) {
    JsonObject details =
        new JsonObject().put("plan_id", seen.plan().id()).put("task_id", seen.task().id());
    if (!answer.isEmpty()) {
      details.put("answer", answer);
    }
    return new AuditEntry(
        "operator." + what,
        "",
        "",
        seen.plan().origin().threadId(),
        OperatorAudit.actor(request),
        details.encode());
  }
}
