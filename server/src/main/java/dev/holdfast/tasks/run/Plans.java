package dev.holdfast.tasks.run;

import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tasks.ledger.NewPlan;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.PlanMoved;
import dev.holdfast.tasks.ledger.TaskInput;
import dev.holdfast.tasks.rules.AgentHealth;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.StepGraph;
import dev.holdfast.tasks.workers.WorkerAgent;
import dev.holdfast.time.Time;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;

/** Makes plans of what people and models ask for, and shows them. Thread-safe. */
public final class Plans {
  public static final int GOAL_MAX = 2000;
  public static final int PAYLOAD_MAX = 65_536;

  private final PlanLedger ledger;
  private final TaskRunner runner;
  private final AgentDirectory agents;
  private final IntSupplier openMax;
  private final BooleanSupplier writer;
  private final BooleanSupplier supervised;
  private final Time time;
  private final PlanWaits waits;

  /**
   * @param openMax how many tasks may be open
   * @param writer whether there is a model that writes steps
   * @param supervised whether a person is asked before unsafe actions
   * @param moved hears of each move after its commit, on the writer's thread
   */
  public Plans(
      PlanLedger ledger,
      TaskRunner runner,
      AgentDirectory agents,
      IntSupplier openMax,
      BooleanSupplier writer,
      BooleanSupplier supervised,
      Time time,
      Consumer<PlanMoved> moved) {
    this.ledger = ledger;
    this.runner = runner;
    this.agents = agents;
    this.openMax = openMax;
    this.writer = writer;
    this.supervised = supervised;
    this.time = time;
    waits = new PlanWaits(ledger, time);
    ledger.onMoved(
        move -> {
          waits.moved(move);
          moved.accept(move);
        });
  }

  public PlanLedger ledger() {
    return ledger;
  }

  /** What is being done for a task now, in words of its agent; empty when that is not known. */
  public String doing(String taskId) {
    return runner.doing(taskId);
  }

  /** Whether a person is asked before unsafe actions that a model has thought out. */
  public boolean isSupervised() {
    return supervised.getAsBoolean();
  }

  public AgentDirectory agents() {
    return agents;
  }

  /**
   * Writes a plan down and lets it run. Blocks until it is on disk.
   *
   * @throws StoreException OVERLOADED when too many tasks are open
   */
  public PlanVerdict create(PlanRequest request) throws StoreException {
    Optional<Plan> made = ledger.findByKey(request.key());
    if (made.isPresent()) {
      return new PlanVerdict.Made(made.get());
    }
    List<Step> wantedSteps =
        request.steps().isEmpty()
            ? NamedAction.of(request.goal(), agents).stream().toList()
            : request.steps();
    List<Step> steps = withReferences(wantedSteps, Set.of());
    List<String> problems = problems(request, steps);
    if (!problems.isEmpty()) {
      return new PlanVerdict.Invalid(problems);
    }
    NewPlan wanted =
        new NewPlan(
            request.key(),
            request.goal().strip(),
            request.priority(),
            request.origin(),
            time.now().plus(request.waits()),
            request.supervised(),
            steps);
    for (Step step : steps) {
      Optional<Instant> until = refusedUntil(step);
      if (until.isPresent()) {
        return new PlanVerdict.Unavailable(
            ledger.makeFailed(
                wanted, step.name(), TaskRunner.unavailable(step.agent()), openMax.getAsInt()),
            TaskRunner.unavailable(step.agent()),
            until.get());
      }
    }
    Plan plan = ledger.make(wanted, openMax.getAsInt());
    runner.signal();
    return new PlanVerdict.Made(plan);
  }

  /** Until when no agent takes a step; empty when one does. */
  private Optional<Instant> refusedUntil(Step step) {
    Instant now = time.now();
    boolean other =
        agents.all().stream()
            .filter(agent -> !agent.id().equals(step.agent()))
            .filter(agent -> agent.action(step.action()).isPresent())
            .anyMatch(
                agent ->
                    ledger.agents().of(agent.id()).admission(now) == AgentHealth.Admission.OPEN);
    return other ? Optional.empty() : ledger.agents().of(step.agent()).refusedUntil(now);
  }

  /** What refers to the answer of a step, or of an earlier one, needs it. */
  static List<Step> withReferences(List<Step> steps, Set<String> earlier) {
    Set<String> names = steps.stream().map(Step::name).collect(Collectors.toSet());
    names.addAll(earlier);
    return steps.stream()
        .map(
            step -> {
              Set<String> needs = new HashSet<>(step.needs());
              needs.addAll(StepInputs.references(step.payload(), names));
              return new Step(step.name(), step.agent(), step.action(), step.payload(), needs);
            })
        .toList();
  }

  private List<String> problems(PlanRequest request, List<Step> steps) {
    List<String> problems = new ArrayList<>();
    if (!steps.isEmpty()) {
      problems.addAll(problems(steps));
    } else if (!writer.getAsBoolean()) {
      problems.add(
          "no model writes steps here: give the steps, or configure a model for the level"
              + " tactical");
    }
    if (request.goal().isBlank() || request.goal().length() > GOAL_MAX) {
      problems.add("a goal has from 1 to %d characters".formatted(GOAL_MAX));
    }
    if (request.priority() < 0 || request.priority() > 100) {
      problems.add("a priority is from 0 to 100, not %d".formatted(request.priority()));
    }
    return problems;
  }

  /** All that is wrong with the steps of a plan, in sentences. */
  public List<String> problems(List<Step> steps) {
    List<String> problems = new ArrayList<>(StepGraph.problems(steps));
    int open = openMax.getAsInt();
    if (steps.size() > open && steps.size() <= StepGraph.STEPS_MAX) {
      problems.add(
          "%d steps are more than may be open here: tasks.max_open is %d"
              .formatted(steps.size(), open));
    }
    for (Step step : steps) {
      payloadProblem(step).ifPresent(problems::add);
      actionProblem(step).ifPresent(problems::add);
    }
    return problems;
  }

  private static Optional<String> payloadProblem(Step step) {
    if (step.payload().length() > PAYLOAD_MAX) {
      return Optional.of(
          "the payload of step \"%s\" is longer than %d characters"
              .formatted(step.name(), PAYLOAD_MAX));
    }
    return isObject(step.payload())
        ? Optional.empty()
        : Optional.of("the payload of step \"%s\" is no JSON object".formatted(step.name()));
  }

  private Optional<String> actionProblem(Step step) {
    Optional<WorkerAgent> agent = agents.find(step.agent());
    if (agent.isEmpty()) {
      return Optional.of(
          "step \"%s\": there is no agent \"%s\"; there are: %s"
              .formatted(
                  step.name(),
                  step.agent(),
                  agents.all().stream().map(WorkerAgent::id).collect(Collectors.joining(", "))));
    }
    if (agent.get().action(step.action()).isEmpty()) {
      return Optional.of(
          "step \"%s\": agent \"%s\" has no action \"%s\"; it has: %s"
              .formatted(
                  step.name(),
                  step.agent(),
                  step.action(),
                  agent.get().actions().stream()
                      .map(action -> action.name())
                      .collect(Collectors.joining(", "))));
    }
    return Optional.empty();
  }

  private static boolean isObject(String payload) {
    try {
      return Json.decodeValue(payload) instanceof JsonObject;
    } catch (DecodeException _) {
      return false;
    }
  }

  /** What has become of an answer. */
  public enum Answered {
    TAKEN,
    /** Nothing waits for it, or not any more. */
    TOO_LATE
  }

  /**
   * Gives an agent what it has asked for; its task goes on. Blocks until that is on disk.
   *
   * @param answer one that the question allows
   */
  public Answered answer(TaskInput input, String answer, String by, AuditEntry entry)
      throws StoreException {
    boolean taken = ledger.inputs().answer(input.id(), answer, by, entry);
    runner.signal();
    return taken ? Answered.TAKEN : Answered.TOO_LATE;
  }

  /**
   * Tries again what the plan of a given-up task did not reach, as a new plan. Empty when the task
   * is none that was given up, or its plan still runs. Blocks.
   *
   * @throws StoreException OVERLOADED when too many tasks are open
   */
  public Optional<Plan> retry(String taskId, AuditEntry entry) throws StoreException {
    Optional<Plan> plan = ledger.letters().retry(taskId, openMax.getAsInt(), entry);
    runner.signal();
    return plan;
  }

  /** Ends one task, and what runs for it. False when it has ended. Blocks. */
  public boolean cancelTask(String taskId, String reason, AuditEntry entry) throws StoreException {
    return runner.cancelTask(taskId, reason, entry);
  }

  /** The plan as it is at its end, or after {@code limit}; empty when there is none. Blocks. */
  public Optional<Plan> awaitEnd(String planId, Duration limit) throws InterruptedException {
    return waits.awaitEnd(planId, limit);
  }

  /** Ends a plan, and what runs for it. False when there is none that goes on. Blocks. */
  public boolean cancel(String planId, String reason, AuditEntry entry) throws StoreException {
    return runner.cancel(planId, reason, entry, false);
  }

  /** As {@link #cancel} for a caller that tells the chat thread of it: nobody else does. */
  public boolean cancelTold(String planId, String reason, AuditEntry entry) throws StoreException {
    return runner.cancel(planId, reason, entry, true);
  }

  /** Whether the server stops: plans go on after the next start. */
  public boolean isStopping() {
    return runner.isStopping();
  }
}
