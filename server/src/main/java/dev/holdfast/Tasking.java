package dev.holdfast;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.dispatch.PlanCommands;
import dev.holdfast.extensions.ExtensionActions;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.incidents.IncidentReports;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.tasks.chat.AgentTools;
import dev.holdfast.tasks.chat.PlanChat;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.PlanMoved;
import dev.holdfast.tasks.models.ModelAgent;
import dev.holdfast.tasks.models.ModelAgentJudge;
import dev.holdfast.tasks.models.ModelAgentParts;
import dev.holdfast.tasks.models.ModelGoalJudge;
import dev.holdfast.tasks.models.ModelStepWriter;
import dev.holdfast.tasks.models.PlanningParts;
import dev.holdfast.tasks.models.TaskModels;
import dev.holdfast.tasks.rules.AgentHealth;
import dev.holdfast.tasks.rules.HealthState;
import dev.holdfast.tasks.run.AgentDirectory;
import dev.holdfast.tasks.run.AgentRecovery;
import dev.holdfast.tasks.run.PlanNotices;
import dev.holdfast.tasks.run.PlanThinker;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.tasks.run.TaskMetrics;
import dev.holdfast.tasks.run.TaskRunner;
import dev.holdfast.tasks.workers.WorkerAgent;
import dev.holdfast.tasks.workers.WorkerAgents;
import dev.holdfast.time.Time;
import dev.holdfast.tools.Toolbox;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Work that is given out, put together: worker agents, plans and who runs them. */
final class Tasking {
  private final WorkerAgents agents;
  private final TaskRunner runner;
  private final PlanThinker thinker;
  private final Plans plans;
  private final PlanNotices notices;
  private final AgentTools tools;
  private final PlanChat chat;
  private final TaskMetrics metrics;
  private final AgentRecovery recovery;

  private Tasking(
      WorkerAgents agents,
      TaskRunner runner,
      PlanThinker thinker,
      Plans plans,
      PlanNotices notices,
      AgentTools tools,
      PlanChat chat,
      TaskMetrics metrics,
      AgentRecovery recovery) {
    this.agents = agents;
    this.runner = runner;
    this.thinker = thinker;
    this.plans = plans;
    this.notices = notices;
    this.tools = tools;
    this.chat = chat;
    this.metrics = metrics;
    this.recovery = recovery;
  }

  /**
   * @param mayStart whether tasks are given out now
   * @param mayThinkHard whether models of the level strategic are asked now
   * @param results of extensions and agents
   * @param redaction frees a text of secrets
   * @param moved hears of each move after its commit, on the writer's thread
   */
  static Tasking open(
      Store store,
      ExtensionActions extensions,
      Toolbox toolbox,
      TaskModels models,
      ModelAgentParts.Scratch scratch,
      Supplier<ServerConfig> config,
      BooleanSupplier mayStart,
      BooleanSupplier mayThinkHard,
      RecentResults results,
      IncidentReports incidents,
      UnaryOperator<String> redaction,
      Consumer<PlanMoved> moved,
      Time time,
      MeterRegistry meters)
      throws IOException, StartRefusedException {
    PlanLedger ledger = ledger(store, time);
    store.schedules().personsBehindOthers(ledger::personBehind);
    ModelAgentParts parts =
        new ModelAgentParts(
            models,
            ledger.talks(),
            () -> config.get().tools().autonomy() == Autonomy.MANUAL ? toolbox.emptied() : toolbox,
            () -> isSupervised(config.get()),
            scratch);
    WorkerAgents agents =
        new WorkerAgents(
            extensions,
            (id, model, settings) -> new ModelAgent(id, model, settings, parts),
            ledger.agents().reviews()::tuning,
            config.get().agents());
    AgentDirectory directory = directory(agents);
    TaskRunner runner =
        new TaskRunner(
            ledger,
            directory,
            () -> mayStart.getAsBoolean() ? config.get().tasks().runningMax() : 0,
            results,
            time,
            () -> ThreadLocalRandom.current().nextDouble());
    runner.defer(() -> mayThinkHard.getAsBoolean() ? Set.of() : Set.of(ModelGoalJudge.LEVEL));
    TaskMetrics metrics = new TaskMetrics(ledger, runner, directory, meters);
    Plans plans =
        new Plans(
            ledger,
            runner,
            directory,
            () -> config.get().tasks().openMax(),
            () -> ModelStepWriter.isThere(models),
            () -> isSupervised(config.get()),
            time,
            move -> {
              metrics.moved(move);
              moved.accept(move);
            });
    PlanningParts planning = new PlanningParts(models, directory, health(ledger), plans::problems);
    PlanThinker thinker =
        new PlanThinker(
            ledger,
            plans::problems,
            new ModelStepWriter(planning),
            new ModelGoalJudge(planning),
            new PlanThinker.Settings(
                mayStart,
                mayThinkHard,
                () -> isSupervised(config.get()),
                () -> config.get().tasks().openMax()),
            time,
            runner::signal);
    AgentRecovery recovery =
        new AgentRecovery(
            ledger.agents().reviews(),
            directory,
            results,
            new ModelAgentJudge(models, redaction),
            new AgentRecovery.Settings(
                mayStart, mayThinkHard, config.get().supervision().reviewCooldown()),
            incidents,
            time,
            meters);
    AgentTools tools =
        new AgentTools(
            toolbox,
            plans,
            (event, sender) -> store.schedules().personBehind(event).orElse(sender));
    return new Tasking(
        agents,
        runner,
        thinker,
        plans,
        new PlanNotices(
            ledger, Incoming.WAKEUP_KEY, Incoming.WAKEUP_SENDER, Incoming.NOTICE_KEY, time),
        tools,
        new PlanChat(plans),
        metrics,
        recovery);
  }

  private static Function<String, HealthState> health(PlanLedger ledger) {
    return id -> ledger.agents().of(id).state();
  }

  private static PlanLedger ledger(Store store, Time time)
      throws IOException, StartRefusedException {
    try {
      return PlanLedger.open(store.engine(), store.inbox(), store.audit(), time);
    } catch (StoreException e) {
      throw new IOException("the store cannot be written: " + e.getMessage(), e);
    }
  }

  private static AgentDirectory directory(WorkerAgents agents) {
    return new AgentDirectory() {
      @Override
      public Optional<WorkerAgent> find(String id) {
        return agents.find(id);
      }

      @Override
      public List<WorkerAgent> all() {
        return agents.all();
      }
    };
  }

  Plans plans() {
    return plans;
  }

  TaskRunner runner() {
    return runner;
  }

  PlanCommands commands() {
    return new PlanCommands() {
      @Override
      public String list(String threadId) {
        return chat.list(threadId);
      }

      @Override
      public String cancel(String threadId, String code, String eventId, String person)
          throws StoreException {
        return chat.cancel(threadId, code, eventId, person);
      }

      @Override
      public String make(String threadId, String goal, String eventId, String person)
          throws StoreException {
        return chat.make(threadId, goal, eventId, person);
      }

      @Override
      public Optional<String> answer(
          String threadId, String code, String text, String eventId, String person)
          throws StoreException {
        return chat.answer(threadId, code, text, eventId, person);
      }

      @Override
      public Optional<String> decide(
          String threadId, String code, boolean yes, String eventId, String person)
          throws StoreException {
        return chat.decide(threadId, code, yes, eventId, person);
      }
    };
  }

  /** Agents that get no task now. Answers from memory. */
  List<ConditionReport> reports() {
    return plans.agents().all().stream()
        .map(agent -> plans.ledger().agents().of(agent.id()))
        .filter(health -> health.circuitOpenUntil() != null)
        .map(Tasking::report)
        .toList();
  }

  private static ConditionReport report(AgentHealth health) {
    return ConditionReport.degraded(
            "unavailable",
            "Worker agent %s has failed %d tasks in a row and is paused. See holdfast agents list."
                .formatted(health.agentId(), health.consecutiveFailures()),
            "Ends with a task that succeeds, or with holdfast agents reset "
                + health.agentId()
                + ".")
        .about(health.agentId())
        .withNextAttemptAt(health.circuitOpenUntil());
  }

  /** Takes over what the configuration declares. */
  void declare(ServerConfig config) {
    agents.configure(config.agents());
    tools.refresh();
  }

  /** Offers models the tools of agents if there are any. */
  void offerTools() {
    tools.refresh();
  }

  /** Gives tasks out until interrupted. */
  void run() throws InterruptedException {
    runner.run(
        () -> {
          tools.refresh();
          metrics.refresh();
        });
  }

  /** Has models think about plans until interrupted. */
  void think() throws InterruptedException {
    thinker.run();
  }

  /** Helps agents that fail too often until interrupted. */
  void review() throws InterruptedException {
    recovery.run();
  }

  private static boolean isSupervised(ServerConfig config) {
    return config.tools().autonomy() != Autonomy.FULL;
  }

  /** Tells chat threads of plans that have ended until interrupted. */
  void tell() throws InterruptedException {
    notices.run();
  }

  /** Takes back what runs: it goes on after the next start. Blocks. */
  void close() throws InterruptedException {
    runner.stop();
  }
}
