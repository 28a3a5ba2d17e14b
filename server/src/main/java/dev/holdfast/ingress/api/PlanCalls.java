package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tasks.ledger.NewPlan;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanFilter;
import dev.holdfast.tasks.ledger.PlanOrigin;
import dev.holdfast.tasks.ledger.PlanSnapshot;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.run.PlanRequest;
import dev.holdfast.tasks.run.PlanVerdict;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What is asked of plans. */
final class PlanCalls {
  private static final int PAGE = 50;

  /** The end of an id, as chats show it. */
  private static final Pattern CODE = Pattern.compile("[0-9a-f]{8}");

  private static final Duration RETRY_WHILE_STOPPING = Duration.ofSeconds(5);
  private static final Duration RETRY_MIN = Duration.ofSeconds(1);

  private final Plans plans;
  private final PlanViews views;
  private final ThreadAccess access;
  private final OperatorAudit records;
  private final Time time;

  PlanCalls(Plans plans, ThreadAccess access, Audit audit, Time time) {
    this.plans = plans;
    this.views = new PlanViews(plans, time);
    this.access = access;
    this.records = new OperatorAudit(audit);
    this.time = time;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "createPlan", this::create,
        "listPlans", this::list,
        "getPlan", this::get,
        "cancelPlan", this::cancel);
  }

  private ApiAnswer create(ApiRequest request)
      throws RefusedRequestException, StoreException, InterruptedException {
    if (plans.isStopping()) {
      throw new RefusedRequestException(
          503, FailureCode.OVERLOADED, "the server is stopping", RETRY_WHILE_STOPPING);
    }
    JsonObject body = request.body();
    Duration waits = Duration.ofSeconds(body.getInteger("wait_secs", 0));
    List<Step> steps = steps(body);
    String goal = body.getString("goal", first(steps));
    String thread = body.getString("thread_id", "");
    PlanOrigin origin =
        new PlanOrigin(
            thread.isEmpty() ? "" : ApiRequest.threadId(thread), "", request.caller().name());
    if (!origin.threadId().isEmpty()) {
      access.check(request.caller(), origin.threadId());
    }
    PlanVerdict verdict =
        plans.create(
            new PlanRequest(
                "api:" + UUID.randomUUID(),
                goal,
                body.getInteger("priority", NewPlan.PRIORITY),
                origin,
                waits,
                false,
                steps));
    return switch (verdict) {
      case PlanVerdict.Made(Plan plan) -> {
        JsonObject details = new JsonObject().put("plan_id", plan.id()).put("goal", plan.goal());
        records.done(request, "plan_made", origin.threadId(), details);
        yield made(plan, waits);
      }
      case PlanVerdict.Unavailable unavailable ->
          throw new RefusedRequestException(
                  503,
                  FailureCode.AGENT_UNAVAILABLE,
                  unavailable.failure().message(),
                  retryAfter(unavailable.until()))
              .withDetails(new JsonObject().put("plan_id", unavailable.plan().id()));
      case PlanVerdict.Invalid(List<String> problems) ->
          throw RefusedRequestException.invalid(problems);
    };
  }

  private Duration retryAfter(Instant until) {
    Duration left = Duration.between(time.now(), until);
    return left.compareTo(RETRY_MIN) < 0 ? RETRY_MIN : left;
  }

  private ApiAnswer made(Plan plan, Duration waits) throws InterruptedException {
    PlanSnapshot now = views.snapshot(plans.awaitEnd(plan.id(), waits).orElse(plan));
    return new ApiAnswer(now.plan().state().isTerminal() ? 200 : 202, views.whole(now));
  }

  private static String first(List<Step> steps) {
    return steps.isEmpty() ? "" : steps.getFirst().agent() + ": " + steps.getFirst().action();
  }

  /** The steps of a graph, or the one step that the body itself is. */
  private static List<Step> steps(JsonObject body) throws RefusedRequestException {
    JsonArray given = body.getJsonArray("steps", new JsonArray());
    boolean one = body.containsKey("agent");
    if (given.isEmpty() ? !one && !body.containsKey("goal") : one) {
      throw RefusedRequestException.invalid(
          "give a goal alone, or either steps or one agent with its action");
    }
    List<Step> steps = new ArrayList<>();
    if (one) {
      steps.add(step(body, "task"));
    }
    for (Object each : given) {
      steps.add(step((JsonObject) each, "step-" + (steps.size() + 1)));
    }
    return steps;
  }

  private static Step step(JsonObject given, String name) {
    Set<String> needs = new HashSet<>();
    given.getJsonArray("needs", new JsonArray()).forEach(need -> needs.add(String.valueOf(need)));
    return new Step(
        given.getString("name", name),
        given.getString("agent", ""),
        given.getString("action", ""),
        given.getJsonObject("payload", new JsonObject()).encode(),
        needs);
  }

  private ApiAnswer list(ApiRequest request) throws RefusedRequestException {
    String thread = request.text("thread", "");
    List<Plan> page =
        plans
            .ledger()
            .list(
                ThreadAccess.reader(request.caller()),
                thread.isEmpty() ? "" : ApiRequest.threadId(thread),
                PlanFilter.valueOf(request.text("state", "open").toUpperCase(Locale.ROOT)),
                before(request.text("before", "")),
                request.whole("limit", PAGE));
    JsonArray all = new JsonArray();
    page.forEach(plan -> all.add(views.line(plan)));
    return ApiAnswer.ok(new JsonObject().put("plans", all));
  }

  /** The last plan of the page before, by its id. */
  private long before(String planId) throws RefusedRequestException {
    if (planId.isEmpty()) {
      return Long.MAX_VALUE;
    }
    return plans
        .ledger()
        .find(planId)
        .map(Plan::number)
        .orElseThrow(() -> RefusedRequestException.invalid("before names no plan"));
  }

  /** By its id, or by the end of it that chats show. */
  private Plan visible(ApiRequest request) throws RefusedRequestException {
    Optional<Plan> plan =
        plans
            .ledger()
            .find(request.id())
            .filter(one -> access.maySee(request.caller(), one.origin().threadId()));
    return plan.isPresent() ? plan.get() : byCode(request);
  }

  private Plan byCode(ApiRequest request) throws RefusedRequestException {
    String code = request.id().toLowerCase(Locale.ROOT);
    List<Plan> found =
        CODE.matcher(code).matches()
            ? plans.ledger().findByEnd(ThreadAccess.reader(request.caller()), code)
            : List.of();
    if (found.isEmpty()) {
      throw RefusedRequestException.unknown("no such plan");
    }
    if (found.size() > 1) {
      throw new RefusedRequestException(
          409,
          FailureCode.INVALID_REQUEST,
          "several plans have this code; use an id: "
              + found.stream().map(Plan::id).collect(Collectors.joining(", ")));
    }
    return found.getFirst();
  }

  private ApiAnswer get(ApiRequest request) throws RefusedRequestException {
    return ApiAnswer.ok(views.whole(visible(request)));
  }

  private ApiAnswer cancel(ApiRequest request) throws RefusedRequestException, StoreException {
    Plan plan = visible(request);
    AuditEntry entry =
        new AuditEntry(
            "operator.plan_cancelled",
            "",
            "",
            plan.origin().threadId(),
            OperatorAudit.actor(request),
            new JsonObject().put("plan_id", plan.id()).encode());
    String by = "cancelled by " + Objects.requireNonNullElse(request.caller().name(), "");
    if (!plans.cancel(plan.id(), by, entry)) {
      throw new RefusedRequestException(
          409, FailureCode.INVALID_REQUEST, "the plan has ended already");
    }
    return ApiAnswer.ok(views.whole(plan));
  }
}
