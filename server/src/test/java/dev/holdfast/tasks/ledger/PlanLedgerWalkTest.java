package dev.holdfast.tasks.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.time.ManualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Whatever happens to plans in whatever order, what is stored fits together. */
class PlanLedgerWalkTest {
  private static final int MOVES = 60;
  private static final TaskFailure FAILED =
      new TaskFailure(FailureCode.BACKEND_FAILURE, "it broke", true);

  @Property(tries = 12, shrinking = ShrinkingMode.OFF)
  void whatIsStoredFitsTogether(@ForAll long seed) throws Exception {
    Path folder = Files.createTempDirectory("walk");
    ManualTime time = new ManualTime();
    Random random = new Random(seed);
    try (TestStore it = new TestStore(folder)) {
      PlanLedger ledger =
          PlanLedger.open(it.store.engine(), it.store.inbox(), it.store.audit(), time);
      Map<String, TaskState> ended = new HashMap<>();
      for (int i = 0; i < MOVES; i++) {
        act(ledger, time, random);
        time.advance(Duration.ofSeconds(1));
        check(ledger, ended);
      }
    }
  }

  private static Step step(String name, String... needs) {
    return new Step(name, "worker", "do", "{}", Set.of(needs));
  }

  private static void act(PlanLedger ledger, ManualTime time, Random random) throws Exception {
    List<Plan> plans = plans(ledger);
    if (plans.isEmpty() || random.nextInt(8) == 0) {
      Plan _ =
          ledger.make(
              new NewPlan(
                  "key" + random.nextInt(20),
                  "goal",
                  random.nextInt(101),
                  new PlanOrigin("", "", "ann"),
                  time.now(),
                  false,
                  List.of(step("a"), step("b", "a"), step("c"), step("d", "b", "c"))),
              100);
      return;
    }
    Plan plan = plans.get(random.nextInt(plans.size()));
    List<Task> tasks = ledger.tasksOf(plan.id());
    Task task = tasks.get(random.nextInt(tasks.size()));
    Task.Lease lease =
        random.nextInt(6) == 0 ? new Task.Lease(task.id(), task.epoch() - 1) : task.lease();
    Instant now = time.now();
    boolean _ =
        switch (random.nextInt(12)) {
          case 0, 1, 2 -> {
            List<Task> ready = ledger.ready(now, Set.of(), Set.of(), 10);
            yield !ready.isEmpty()
                && ledger.dispatch(ready.getFirst().id(), now.plusSeconds(30)).isPresent();
          }
          case 3, 4, 5 -> ledger.begin(lease, random.nextBoolean(), random.nextBoolean());
          case 6, 7 -> ledger.end(lease, new AttemptEnd.Succeeded("1"), CircuitRules.DEFAULT);
          case 8 ->
              ledger.end(
                  lease,
                  new AttemptEnd.Again(FAILED, Duration.ZERO, random.nextBoolean()),
                  CircuitRules.DEFAULT);
          case 9 -> ledger.end(lease, new AttemptEnd.GivenUp(FAILED), CircuitRules.DEFAULT);
          case 10 -> ledger.release(lease, "its lease has expired");
          default ->
              random.nextInt(3) == 0
                  && ledger.cancel(
                      plan.id(),
                      "enough",
                      new AuditEntry("plan.cancelled", "", "", "", "ann", "{}"));
        };
  }

  private static List<Plan> plans(PlanLedger ledger) {
    return ledger.list(ThreadReader.OPERATOR, "", PlanFilter.ALL, Long.MAX_VALUE, 100);
  }

  private static void check(PlanLedger ledger, Map<String, TaskState> ended) {
    long open = 0;
    for (Plan plan : plans(ledger)) {
      List<Task> tasks = ledger.tasksOf(plan.id());
      long left = tasks.stream().filter(task -> !task.state().isTerminal()).count();
      open += left;
      assertThat(plan.state().isTerminal()).as("%s: %s", plan, tasks).isEqualTo(left == 0);
      for (Task task : tasks) {
        TaskState before = ended.get(task.id());
        assertThat(before == null || before == task.state()).as("terminal is final").isTrue();
        if (task.state().isTerminal()) {
          ended.put(task.id(), task.state());
        }
        if (task.attempts() > 0) {
          assertThat(succeeded(tasks)).as("its needs").containsAll(task.step().needs());
        }
        assertThat(ledger.taskSnapshot(task.id()).orElseThrow().attempts())
            .hasSize(task.attempts());
      }
    }
    assertThat(ledger.open()).isEqualTo(open);
  }

  private static List<String> succeeded(List<Task> tasks) {
    return tasks.stream()
        .filter(task -> task.state() == TaskState.SUCCEEDED)
        .map(task -> task.step().name())
        .toList();
  }
}
