package dev.holdfast.tasks.chat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Risk;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tasks.ledger.NewPlan;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanOrigin;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.tasks.run.PlanRequest;
import dev.holdfast.tasks.run.PlanVerdict;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.tasks.run.TaskTexts;
import dev.holdfast.tools.files.Sha256;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the tools that make plans have in common. Thread-safe. */
final class PlanCallers {
  private static final Logger LOG = LoggerFactory.getLogger(PlanCallers.class);

  /** For a turn that is begun anew by then: its call finds the plan and takes its end. */
  private static final Duration GRACE = Duration.ofSeconds(30);

  private static final Duration LOOK = Duration.ofSeconds(2);

  private final Plans plans;
  private final BiFunction<String, String, String> personBehind;

  /**
   * @param personBehind who is behind an event, by its id; the second one when nobody else is
   */
  PlanCallers(Plans plans, BiFunction<String, String, String> personBehind) {
    this.plans = plans;
    this.personBehind = personBehind;
  }

  /**
   * Makes the plan, or finds the one that this call made before, and waits for its end.
   *
   * @param waits zero not to wait
   */
  ToolResult make(
      String goal, List<Step> steps, Duration waits, String arguments, ToolContext context)
      throws InterruptedException {
    PlanOrigin origin =
        new PlanOrigin(
            context.threadId(),
            context.eventId(),
            personBehind.apply(context.eventId(), context.sender()));
    // The arguments too: a turn that began anew gives its keys a second time, to other calls.
    String key = "call:" + Sha256.of(context.key() + "\n" + arguments);
    PlanRequest request =
        new PlanRequest(
            key,
            goal,
            NewPlan.PRIORITY,
            origin,
            waits.isZero() ? Duration.ZERO : waits.plus(GRACE),
            steps.isEmpty() && plans.isSupervised(), // given steps were approved with the call
            steps);
    try {
      return switch (plans.create(request)) {
        case PlanVerdict.Made(Plan plan) -> await(plan, waits, context);
        case PlanVerdict.Unavailable unavailable -> {
          plans.ledger().told(unavailable.plan().id());
          yield ToolResult.error(
              Failure.of(FailureCode.AGENT_UNAVAILABLE, unavailable.failure().message())
                  .as(FailureKind.INVALID));
        }
        case PlanVerdict.Invalid(List<String> problems) ->
            refused("Nothing was begun: " + String.join("; ", problems) + ".");
      };
    } catch (StoreException e) {
      return ToolResult.error(e.failure());
    }
  }

  private ToolResult await(Plan plan, Duration waits, ToolContext context)
      throws StoreException, InterruptedException {
    try {
      Optional<Plan> now = Optional.of(plan);
      for (Duration left = waits;
          left.isPositive()
              && now.filter(it -> !it.state().isTerminal()).isPresent()
              && asking(plan.id()).isEmpty();
          left = left.minus(LOOK)) {
        now = plans.awaitEnd(plan.id(), left.compareTo(LOOK) < 0 ? left : LOOK);
        context.progress().doing("plan: " + doing(plan.id()));
      }
      Plan last = now.orElse(plan);
      if (last.state().isTerminal()) {
        plans.ledger().told(last.id());
        return ended(last);
      }
      plans.ledger().tellThread(last.id());
      return ToolResult.ok(
          "Plan "
              + last.id()
              + " runs."
              + asking(last.id())
              + " You will get a message here when it has ended; tell the person so, and do"
              + " not wait for it.");
    } catch (InterruptedException e) {
      if (!plans.isStopping()) {
        cancel(plan, context);
      }
      throw e;
    }
  }

  /** What a step waits for; empty when nothing has to come from a person. */
  private String asking(String planId) {
    return plans.ledger().tasksOf(planId).stream()
        .filter(task -> task.state() == TaskState.AWAITING_INPUT)
        .map(
            task ->
                " Step "
                    + task.step().name()
                    + " waits for a person, who is asked in this conversation.")
        .findFirst()
        .orElse("");
  }

  private void cancel(Plan plan, ToolContext context) {
    AuditEntry entry =
        new AuditEntry(
            "plan.cancelled",
            context.key(),
            context.eventId(),
            context.threadId(),
            "person:" + plan.origin().person(),
            new JsonObject().put("plan_id", plan.id()).encode());
    try {
      if (plans.cancel(plan.id(), "the turn that asked for it was stopped", entry)) {
        plans.ledger().told(plan.id());
      }
    } catch (StoreException e) {
      LOG.warn("plan {}: goes on, the store refuses: {}", plan.id(), e.getMessage());
    }
  }

  private String doing(String planId) {
    List<Task> tasks = plans.ledger().tasksOf(planId);
    long done = tasks.stream().filter(task -> task.state().isTerminal()).count();
    return tasks.stream()
            .filter(task -> !task.state().isTerminal())
            .findFirst()
            .map(task -> task.step().name() + " " + doing(task) + ", ")
            .orElse("")
        + done
        + " of "
        + tasks.size()
        + " steps have ended";
  }

  private String doing(Task task) {
    String label = plans.doing(task.id());
    return label.isEmpty() ? word(task.state()) : "(" + label + ")";
  }

  static String word(TaskState state) {
    return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private ToolResult ended(Plan plan) {
    List<Task> tasks = plans.ledger().tasksOf(plan.id());
    return switch (plan.state()) {
      case SUCCEEDED ->
          ToolResult.ok(
              tasks.size() == 1 ? TaskTexts.answer(tasks.getFirst()) : describe(plan, tasks));
      case FAILED ->
          ToolResult.error(
              Failure.of(FailureCode.BACKEND_FAILURE, "the plan failed").as(FailureKind.INVALID),
              describe(plan, tasks));
      case CANCELLED ->
          ToolResult.error(Failure.of(FailureCode.CANCELLED, "The plan was cancelled."));
      case DRAFT, PENDING, RUNNING -> throw new IllegalArgumentException("it goes on");
    };
  }

  /** A plan and its steps. */
  static String describe(Plan plan, List<Task> tasks) {
    StringBuilder text = new StringBuilder();
    text.append("Plan ")
        .append(plan.id())
        .append(": ")
        .append(plan.state().name().toLowerCase(Locale.ROOT))
        .append(". Goal: ")
        .append(plan.goal());
    tasks.forEach(task -> text.append("\n- ").append(TaskTexts.describe(task)));
    return text.toString();
  }

  /** What the steps can do together. */
  Risk risk(List<Step> steps) {
    boolean safe =
        steps.stream()
            .allMatch(
                step ->
                    plans
                        .agents()
                        .find(step.agent())
                        .flatMap(agent -> agent.action(step.action()))
                        .map(action -> action.replay() != ReplayClass.UNSAFE)
                        .orElse(true)); // refused before anything runs
    return safe ? Risk.MEDIUM : Risk.HIGH;
  }

  static ToolResult refused(String why) {
    return ToolResult.error(Failure.of(FailureCode.INVALID_REQUEST, why));
  }
}
