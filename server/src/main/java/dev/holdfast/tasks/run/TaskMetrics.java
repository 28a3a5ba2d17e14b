package dev.holdfast.tasks.run;

import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.PlanMoved;
import dev.holdfast.tasks.rules.HealthState;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.tasks.workers.WorkerAgent;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What is measured of plans and tasks. Thread-safe. */
public final class TaskMetrics {
  private static final String TASKS = "holdfast.tasks.ended";
  private static final String PLANS = "holdfast.plans.ended";

  private final PlanLedger ledger;
  private final AgentDirectory agents;
  private final MeterRegistry meters;
  private final MultiGauge health;

  public TaskMetrics(
      PlanLedger ledger, TaskRunner runner, AgentDirectory agents, MeterRegistry meters) {
    this.ledger = ledger;
    this.agents = agents;
    this.meters = meters;
    Gauge.builder("holdfast.tasks.open", ledger, PlanLedger::open)
        .description("Tasks that have not ended.")
        .register(meters);
    Gauge.builder(
            "holdfast.dead.letters", ledger, plans -> plans.letters().count(ThreadReader.OPERATOR))
        .tag("kind", "task")
        .description("What was given up.")
        .register(meters);
    Gauge.builder("holdfast.tasks.running", runner, TaskRunner::running)
        .description("Attempts that agents make now.")
        .register(meters);
    health =
        MultiGauge.builder("holdfast.agent.health")
            .description("0 healthy, 1 degraded, 2 unhealthy.")
            .register(meters);
    Stream.of(TaskState.values())
        .filter(TaskState::isTerminal)
        .forEach(state -> meters.counter(TASKS, "outcome", word(state.name())));
    Stream.of(PlanState.values())
        .filter(PlanState::isTerminal)
        .forEach(state -> meters.counter(PLANS, "outcome", word(state.name())));
  }

  /** On the writer's thread, after the commit. */
  public void moved(PlanMoved move) {
    if (move.taskId().isEmpty()) {
      if (PlanState.valueOf(move.to()).isTerminal()) {
        meters.counter(PLANS, "outcome", word(move.to())).increment();
      }
    } else if (TaskState.valueOf(move.to()).isTerminal()) {
      meters.counter(TASKS, "outcome", word(move.to())).increment();
    }
  }

  /** Looks at the agents that there are now. */
  public void refresh() {
    List<WorkerAgent> all = agents.all();
    health.register(
        all.stream()
            .map(
                agent ->
                    MultiGauge.Row.of(
                        Tags.of("agent", agent.id()),
                        () -> number(ledger.agents().of(agent.id()).state())))
            .toList(),
        true);
  }

  private static int number(HealthState state) {
    return switch (state) {
      case HEALTHY -> 0;
      case DEGRADED -> 1;
      case UNHEALTHY -> 2;
    };
  }

  private static String word(String state) {
    return state.toLowerCase(Locale.ROOT);
  }
}
