package dev.holdfast.tasks.run;

import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tasks.ledger.NewPlan;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.PlanMoved;
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
  private final Time time;
  private final PlanWaits waits;

  /**
   * @param openMax how many tasks may be open
   * @param moved hears of each move after its commit, on the writer's thread
   */
  public Plans(
      PlanLedger ledger,
      TaskRunner runner,
      AgentDirectory agents,
      IntSupplier openMax,
      Time time,
      Consumer<PlanMoved> moved) {
    this.ledger = ledger;
    this.runner = runner;
    this.agents = agents;
    this.openMax = openMax;
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
    List<Step> steps = withReferences(request.steps());
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

  /** What refers to the answer of a step needs it. */
  private static List<Step> withReferences(List<Step> steps) {
    Set<String> names = steps.stream().map(Step::name).collect(Collectors.toSet());
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
    List<String> problems = new ArrayList<>(StepGraph.problems(steps));
    if (request.goal().isBlank() || request.goal().length() > GOAL_MAX) {
      problems.add("a goal has from 1 to %d characters".formatted(GOAL_MAX));
    }
    if (request.priority() < 0 || request.priority() > 100) {
      problems.add("a priority is from 0 to 100, not %d".formatted(request.priority()));
    }
    for (Step step : steps) {
      problem(step).ifPresent(problems::add);
    }
    return problems;
  }

  private Optional<String> problem(Step step) {
    if (step.payload().length() > PAYLOAD_MAX) {
      return Optional.of(
          "the payload of step \"%s\" is longer than %d characters"
              .formatted(step.name(), PAYLOAD_MAX));
    }
    if (!isObject(step.payload())) {
      return Optional.of("the payload of step \"%s\" is no JSON object".formatted(step.name()));
    }
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

  /** The plan as it is at its end, or after {@code limit}; empty when there is none. Blocks. */
  public Optional<Plan> awaitEnd(String planId, Duration limit) throws InterruptedException {
    return waits.awaitEnd(planId, limit);
  }

  /** Ends a plan, and what runs for it. False when there is none that goes on. Blocks. */
  public boolean cancel(String planId, String reason, AuditEntry entry) throws StoreException {
    return runner.cancel(planId, reason, entry);
  }

  /** Whether the server stops: plans go on after the next start. */
  public boolean isStopping() {
    return runner.isStopping();
  }
}
