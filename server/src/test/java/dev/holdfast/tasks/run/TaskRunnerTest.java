package dev.holdfast.tasks.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.incidents.InterruptedWork;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.tasks.ledger.NewPlan;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.PlanOrigin;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.tasks.workers.AgentAction;
import dev.holdfast.tasks.workers.AgentSettings;
import dev.holdfast.tasks.workers.Assignment;
import dev.holdfast.tasks.workers.AttemptResult;
import dev.holdfast.tasks.workers.WorkerAgent;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TaskRunnerTest {
  private static final TaskFailure BROKEN =
      new TaskFailure(FailureCode.BACKEND_FAILURE, "it broke", true);

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private final Map<String, WorkerAgent> agents = new TreeMap<>();
  private TestStore it;
  private PlanLedger ledger;
  private final RecentResults results = new RecentResults(time);
  private TaskRunner runner;

  @BeforeEach
  void open() throws Exception {
    it = new TestStore(folder);
    ledger = PlanLedger.open(it.store.engine(), it.store.inbox(), it.store.audit(), time);
    runner = runner(16);
  }

  @AfterEach
  void close() throws Exception {
    runner.stop();
    it.close();
  }

  private TaskRunner runner(int runningMax) {
    AgentDirectory directory =
        new AgentDirectory() {
          @Override
          public Optional<WorkerAgent> find(String id) {
            return Optional.ofNullable(agents.get(id));
          }

          @Override
          public List<WorkerAgent> all() {
            return List.copyOf(agents.values());
          }
        };
    return new TaskRunner(ledger, directory, () -> runningMax, results, time, () -> 0.999_999);
  }

  /** Does what its script says, then succeeds; a closed gate holds its attempts. */
  private final class ScriptedAgent implements WorkerAgent {
    private final String id;
    private final ReplayClass replay;
    private final ConcurrentLinkedQueue<AttemptResult> script = new ConcurrentLinkedQueue<>();
    private final CopyOnWriteArrayList<Assignment> seen = new CopyOnWriteArrayList<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile boolean crashes;
    private String level = "";

    ScriptedAgent(String id, ReplayClass replay) {
      this.id = id;
      this.replay = replay;
      agents.put(id, this);
    }

    @Override
    public String id() {
      return id;
    }

    @Override
    public AgentSettings settings() {
      return AgentSettings.DEFAULT;
    }

    @Override
    public List<AgentAction> actions() {
      return List.of(new AgentAction("do", "", "{}", replay));
    }

    @Override
    public String levelFor(String taskLevel) {
      return taskLevel.isEmpty() ? level : taskLevel;
    }

    @Override
    public Optional<String> higherLevel(String taskLevel) {
      return level.equals("tactical") ? Optional.of("strategic") : Optional.empty();
    }

    @Override
    public AttemptResult attempt(Assignment assignment) throws InterruptedException {
      seen.add(assignment);
      gate.await();
      if (crashes) {
        throw new StackOverflowError("too deep");
      }
      AttemptResult next = script.poll();
      return next == null ? new AttemptResult.Done("1") : next;
    }
  }

  private Plan make(String agent, int priority, int tasks) throws Exception {
    List<Step> steps =
        java.util.stream.IntStream.range(0, tasks)
            .mapToObj(i -> new Step("s" + i, agent, "do", "{}", Set.of()))
            .toList();
    return ledger.make(
        new NewPlan(
            agent + priority + "-" + tasks,
            "goal",
            priority,
            new PlanOrigin("", "", "ann"),
            time.now(),
            false,
            steps),
        10_000);
  }

  private Task first(Plan plan) {
    return ledger.tasksOf(plan.id()).getFirst();
  }

  private void stepAndEnd() throws Exception {
    runner.step();
    TimedWait.until("all attempts have ended", () -> runner.running() == 0);
  }

  @Test
  void aFailingAgentIsAskedThreeTimesWithinTheTableOfWaitsAndThenAnotherOne() throws Exception {
    ScriptedAgent a = new ScriptedAgent("a", ReplayClass.READ);
    ScriptedAgent b = new ScriptedAgent("b", ReplayClass.READ);
    for (int i = 0; i < 3; i++) {
      a.script.add(new AttemptResult.Failed(BROKEN));
    }
    Plan plan = make("a", 50, 1);
    for (int bound : List.of(500, 1000)) {
      stepAndEnd();
      assertThat(Duration.between(time.now(), first(plan).dueAt()))
          .isEqualTo(Duration.ofMillis(bound));
      time.advance(Duration.ofMillis(bound));
    }
    stepAndEnd();
    assertThat(first(plan).agent()).isEqualTo("b");
    stepAndEnd();
    assertThat(first(plan).state()).isEqualTo(TaskState.SUCCEEDED);
    assertThat(first(plan).code()).as("its attempts tell what failed before").isEmpty();
    assertThat(b.seen.getFirst().key()).isEqualTo(a.seen.getFirst().key());
    assertThat(ledger.taskSnapshot(first(plan).id()).orElseThrow().attempts()).hasSize(4);
  }

  @Test
  void whatAnAgentSaysThatItDoesIsKnownWhileItRuns() throws Exception {
    List<TaskDoing> told = new CopyOnWriteArrayList<>();
    runner.onDoing(told::add);
    ScriptedAgent a = new ScriptedAgent("a", ReplayClass.READ);
    a.gate = new CountDownLatch(1);
    Plan plan = make("a", 50, 1);
    String task = first(plan).id();
    runner.step();
    TimedWait.until("it runs", () -> !a.seen.isEmpty());
    assertThat(runner.doing(task)).isEmpty();
    Consumer<String> progress = a.seen.getFirst().progress();
    List.of("reads", "reads", " ", "writes").forEach(progress);
    assertThat(runner.doing(task)).isEqualTo("writes");
    assertThat(told)
        .as("each once")
        .containsExactly(
            new TaskDoing(plan.id(), "", task, "s0", "reads"),
            new TaskDoing(plan.id(), "", task, "s0", "writes"));
    a.gate.countDown();
    TimedWait.until("it has ended", () -> runner.running() == 0);
    progress.accept("late");
    assertThat(runner.doing(task)).isEmpty();
    assertThat(told).hasSize(2);
  }

  @Test
  void anAgentThatCrashesFailsItsAttemptAndAnUnsafeOneIsNotRepeated() throws Exception {
    ScriptedAgent a = new ScriptedAgent("a", ReplayClass.UNSAFE);
    a.crashes = true;
    Plan plan = make("a", 50, 1);
    stepAndEnd();
    stepAndEnd();
    assertThat(first(plan).state()).isEqualTo(TaskState.DEAD_LETTERED);
    assertThat(first(plan).reason())
        .startsWith("agent a crashed: ")
        .endsWith("; its outcome is unknown, so it does not run again");
    assertThat(a.seen).hasSize(1);
  }

  @Test
  void anAgentThatIsFullStarvesNoOtherAndPriorityGoesFirst() throws Exception {
    ScriptedAgent a = new ScriptedAgent("a", ReplayClass.READ);
    ScriptedAgent b = new ScriptedAgent("b", ReplayClass.READ);
    a.gate = new CountDownLatch(1);
    b.gate = a.gate;
    make("a", 90, 200);
    make("b", 10, 1);
    runner.step();
    assertThat(runner.running("a")).isEqualTo(4);
    assertThat(runner.running("b")).isEqualTo(1);
    a.gate.countDown();
  }

  @Test
  void afterItsCooldownOneTaskAtATimeTriesAnAgentAndStarvesNoOther() throws Exception {
    ScriptedAgent a = new ScriptedAgent("a", ReplayClass.UNSAFE);
    ScriptedAgent b = new ScriptedAgent("b", ReplayClass.READ);
    for (int i = 0; i < 3; i++) {
      a.script.add(new AttemptResult.Failed(new TaskFailure(FailureCode.TIMEOUT, "slow", false)));
    }
    make("a", 90, 3);
    stepAndEnd();
    Plan refused = make("a", 91, 2);
    agents.remove("b");
    stepAndEnd();
    assertThat(first(refused).code()).isEqualTo(FailureCode.AGENT_UNAVAILABLE.name());
    assertThat(a.seen).hasSize(3);
    agents.put("b", b);
    time.advance(Duration.ofSeconds(61));
    a.gate = new CountDownLatch(1);
    make("a", 90, 100);
    make("b", 10, 1);
    runner.step();
    TimedWait.until("b has done its task", () -> runner.running("b") == 0);
    assertThat(b.seen).hasSize(1);
    assertThat(runner.running("a")).isEqualTo(1);
    a.gate.countDown();
  }

  @Test
  void whatADeferredLevelDoesWaitsAndStarvesNothingElse() throws Exception {
    ScriptedAgent cheap = new ScriptedAgent("cheap", ReplayClass.READ);
    cheap.level = "tactical";
    Set<String> deferred = new HashSet<>(Set.of("strategic"));
    runner.defer(() -> deferred);
    for (int i = 0; i < 3; i++) {
      cheap.script.add(new AttemptResult.Failed(BROKEN));
    }
    Plan escalated = make("cheap", 95, 1);
    for (int i = 0; i < 3; i++) {
      stepAndEnd();
      time.advance(Duration.ofSeconds(10));
    }
    ScriptedAgent costly = new ScriptedAgent("costly", ReplayClass.READ);
    costly.level = "strategic";
    Plan waiting = make("costly", 90, 100);
    Plan other = make("cheap", 10, 1);
    stepAndEnd();
    assertThat(first(other).state()).isEqualTo(TaskState.SUCCEEDED);
    assertThat(first(escalated).level()).isEqualTo("strategic");
    assertThat(cheap.seen).hasSize(4);
    assertThat(costly.seen).isEmpty();
    assertThat(first(waiting).state()).isEqualTo(TaskState.QUEUED);
    deferred.clear();
    stepAndEnd();
    assertThat(costly.seen).isNotEmpty();
    assertThat(first(escalated).state()).isEqualTo(TaskState.SUCCEEDED);
  }

  @Test
  void tasksOfAnAgentThatIsNotThereWaitForAMinute() throws Exception {
    Plan plan = make("a", 50, 100);
    ScriptedAgent b = new ScriptedAgent("b", ReplayClass.READ);
    make("b", 10, 1);
    stepAndEnd();
    assertThat(b.seen).hasSize(1);
    assertThat(first(plan).state()).isEqualTo(TaskState.QUEUED);
    agents.remove("b");
    time.advance(Duration.ofSeconds(61));
    stepAndEnd();
    assertThat(first(plan).code()).isEqualTo(FailureCode.ACTOR_NOT_FOUND.name());
  }

  @Test
  void nothingIsLeftOfARunThatHadGivenNothingOutAlsoBeforeItWasLookedFor() throws Exception {
    Plan _ = make("a", 50, 1);
    assertThat(runner.interrupted().isAnyLeft()).isFalse();
    assertThat(runner.interrupted().look().settled()).as("not known yet").isFalse();
  }

  @Test
  void whatACrashCutOffRunsAgainOnlyIfItMayAlsoBeforeItsAgentIsBack() throws Exception {
    ScriptedAgent safe = new ScriptedAgent("safe", ReplayClass.KEYED);
    ScriptedAgent unsafe = new ScriptedAgent("unsafe", ReplayClass.UNSAFE);
    Plan one = make("safe", 50, 1);
    Plan two = make("unsafe", 50, 1);
    Plan unbegun = make("unsafe", 40, 1);
    for (Plan plan : List.of(one, two)) {
      Task.Lease lease = ledger.dispatch(first(plan).id(), time.now()).orElseThrow();
      ledger.begin(lease, plan.equals(one), false);
    }
    assertThat(ledger.dispatch(first(unbegun).id(), time.now())).isPresent();
    it.close();
    agents.clear();
    open();
    assertThat(runner.interrupted().isAnyLeft()).isTrue();
    assertThat(runner.interrupted().look().settled()).isFalse();
    runner.recover();
    assertThat(runner.interrupted().isAnyLeft()).isFalse();
    assertThat(runner.interrupted().look().facts())
        .contains("Tasks that were being worked on: 2.")
        .anyMatch(
            fact -> fact.contains("by agent safe was cut off; it waits for its next attempt"));
    agents.put("safe", safe);
    agents.put("unsafe", unsafe);
    stepAndEnd();
    runner.recover(); // as after a crash of the part alone
    InterruptedWork.Findings told = runner.interrupted().look();
    assertThat(told.settled()).isTrue();
    assertThat(told.facts())
        .hasSize(3)
        .anyMatch(fact -> fact.contains("by agent safe was cut off; a later attempt succeeded"))
        .anyMatch(fact -> fact.contains("by agent unsafe was cut off; it became a dead letter"));
    assertThat(told.commands())
        .contains("holdfast plans show " + one.id(), "holdfast dlq list --kind task");
    assertThat(first(one).state()).isEqualTo(TaskState.SUCCEEDED);
    assertThat(safe.seen.getFirst().key()).isEqualTo(first(one).id());
    assertThat(first(two).state()).isEqualTo(TaskState.DEAD_LETTERED);
    assertThat(first(unbegun).state()).isEqualTo(TaskState.SUCCEEDED);
    assertThat(unsafe.seen).hasSize(1);
  }

  @Test
  void aCancelEndsTheAttemptAndNothingIsWrittenAfterIt() throws Exception {
    ScriptedAgent a = new ScriptedAgent("a", ReplayClass.READ);
    a.gate = new CountDownLatch(1);
    Plan plan = make("a", 50, 1);
    runner.step();
    TimedWait.until("the agent is called", () -> a.seen.size() == 1);
    runner.cancel(
        plan.id(), "by hand", new AuditEntry("plan.cancel", "", "", "", "ann", "{}"), false);
    TimedWait.until("the attempt has ended", () -> runner.running() == 0);
    assertThat(first(plan).state()).isEqualTo(TaskState.CANCELLED);
    assertThat(ledger.snapshot(plan.id()).orElseThrow().moves().getLast().to())
        .isEqualTo("CANCELLED");
  }

  @Test
  void aStopTakesBackWhatDoesNotEndAndNeverRepeatsAnUnsafeOne() throws Exception {
    ScriptedAgent safe = new ScriptedAgent("safe", ReplayClass.READ);
    ScriptedAgent unsafe = new ScriptedAgent("unsafe", ReplayClass.UNSAFE);
    safe.gate = new CountDownLatch(1);
    unsafe.gate = safe.gate;
    Plan one = make("safe", 50, 1);
    Plan two = make("unsafe", 50, 1);
    runner.step();
    TimedWait.until("both are called", () -> safe.seen.size() + unsafe.seen.size() == 2);
    assertThat(runner.finish(Deadline.in(time, Duration.ofMillis(100)))).isFalse();
    runner.stop();
    assertThat(first(one).state()).isEqualTo(TaskState.QUEUED);
    assertThat(first(two).state()).isEqualTo(TaskState.DEAD_LETTERED);
  }
}
