package dev.holdfast.tasks.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.FailureLadder;
import dev.holdfast.tasks.rules.HealthState;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class PlanLedgerTest extends LedgerCase {
  private static final TaskFailure FAILURE =
      new TaskFailure(FailureCode.BACKEND_FAILURE, "it broke", true);
  private static final AuditEntry ENTRY =
      new AuditEntry("plan.cancel", "", "", "", "token:ann", "{}");

  private boolean end(Task.Lease lease, AttemptEnd end) throws StoreException {
    return ledger.end(lease, end, CircuitRules.DEFAULT);
  }

  @Test
  void aKeyMakesOnePlanAndTooManyOpenTasksAreRefused() throws Exception {
    Plan plan = make("k", step("one"), step("two"));
    assertThat(make("k", step("other")).id()).isEqualTo(plan.id());
    assertThat(ledger.open()).isEqualTo(2);
    assertThatThrownBy(() -> ledger.make(wanted("l", step("x")), 2))
        .isInstanceOf(StoreException.class);
    assertThat(ledger.findByKey("l")).isEmpty();
    assertThat(ledger.open()).isEqualTo(2);
  }

  @Test
  void aPlanIsFoundByTheEndOfItsId() throws Exception {
    Plan plan = make("k", step("one"));
    Plan other = make("l", step("one"));
    String end = plan.id().substring(plan.id().length() - 8);
    assertThat(ledger.findByEnd(ThreadReader.OPERATOR, end))
        .extracting(Plan::id)
        .containsExactly(plan.id())
        .doesNotContain(other.id());
    assertThat(ledger.findByEnd(ThreadReader.OPERATOR, "%" + end.substring(1))).isEmpty();
  }

  @Test
  void aPlanThatRunsIsNotFailedByASecondRequestOfItsKey() throws Exception {
    Plan plan = make("k", step("one"));
    Plan again = ledger.makeFailed(wanted("k", step("one")), "one", FAILURE, 100);
    assertThat(again.id()).isEqualTo(plan.id());
    assertThat(again.state()).isEqualTo(PlanState.PENDING);
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.QUEUED);
  }

  @Test
  void aRefusedPlanHasFailedWithAllItsTasks() throws Exception {
    Plan plan =
        ledger.makeFailed(wanted("k", step("one"), step("two", "one")), "one", FAILURE, 100);
    assertThat(plan.state()).isEqualTo(PlanState.FAILED);
    assertThat(plan.reason()).isEqualTo("step \"one\" failed: it broke");
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.DEAD_LETTERED);
    assertThat(task(plan, 1).state()).isEqualTo(TaskState.FAILED);
    assertThat(ledger.open()).isZero();
  }

  @Test
  void aNeedThatSucceedsLetsTheNextStepRunAndTheLastOneEndsThePlan() throws Exception {
    Plan plan = make("k", step("one"), step("two", "one"));
    assertThat(ledger.ready(time.now(), List.of(), List.of(), 10)).hasSize(1);
    assertThat(end(begun(task(plan, 0), true), new AttemptEnd.Succeeded("1"))).isTrue();
    assertThat(stateOf(plan)).isEqualTo(PlanState.RUNNING);
    assertThat(ledger.ready(time.now(), List.of(), List.of(), 10))
        .extracting(one -> one.step().name())
        .containsExactly("two");
    assertThat(end(begun(task(plan, 1), true), new AttemptEnd.Succeeded("2"))).isTrue();
    assertThat(stateOf(plan)).isEqualTo(PlanState.SUCCEEDED);
    assertThat(ledger.open()).isZero();
  }

  @Test
  void aStepThatIsGivenUpFailsAllThatNeedItAtAnyDistance() throws Exception {
    Plan plan = make("k", step("one"), step("two", "one"), step("three", "two"));
    assertThat(end(begun(task(plan, 0), true), new AttemptEnd.GivenUp(FAILURE))).isTrue();
    assertThat(ledger.tasksOf(plan.id()))
        .extracting(Task::state)
        .containsExactly(TaskState.DEAD_LETTERED, TaskState.FAILED, TaskState.FAILED);
    assertThat(stateOf(plan)).isEqualTo(PlanState.FAILED);
    assertThat(ledger.agents().of("a").state()).isEqualTo(HealthState.DEGRADED);
    reopen();
    assertThat(ledger.agents().of("a").consecutiveFailures()).isEqualTo(1);
    assertThat(ledger.open()).isZero();
  }

  @Test
  void anOlderLeaseChangesNothing() throws Exception {
    Plan plan = make("k", step("one"));
    Task.Lease old = begun(task(plan, 0), true);
    assertThat(ledger.release(old, "gone")).isTrue();
    Task.Lease lease = begun(task(plan, 0), true);
    assertThat(lease.epoch()).isEqualTo(old.epoch() + 1);
    assertThat(ledger.begin(old, true, false)).isFalse();
    assertThat(end(old, new AttemptEnd.Succeeded("late"))).isFalse();
    assertThat(end(old, new AttemptEnd.Again(FAILURE, Duration.ZERO, false))).isFalse();
    assertThat(end(old, new AttemptEnd.Elsewhere(FAILURE, "b"))).isFalse();
    assertThat(end(old, new AttemptEnd.GivenUp(FAILURE))).isFalse();
    assertThat(ledger.release(old, "late")).isFalse();
    assertThat(end(lease, new AttemptEnd.Succeeded("right"))).isTrue();
    assertThat(end(lease, new AttemptEnd.GivenUp(FAILURE))).isFalse();
    assertThat(task(plan, 0).output()).isEqualTo("right");
  }

  @Test
  void anAttemptThatMayNotBeMadeTwiceIsGivenUpWhenItsLeaseEnds() throws Exception {
    Plan plan = make("k", step("unsafe"), step("waits"));
    Task.Lease unsafe = begun(task(plan, 0), false);
    Task.Lease unbegun = ledger.dispatch(task(plan, 1).id(), time.now()).orElseThrow();
    reopen();
    assertThat(ledger.expired(Instant.MAX, 10)).hasSize(2);
    assertThat(ledger.release(unsafe, "stopped")).isTrue();
    assertThat(ledger.release(unbegun, "stopped")).isTrue();
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.DEAD_LETTERED);
    assertThat(task(plan, 0).reason()).contains("outcome is unknown");
    assertThat(task(plan, 1).state()).isEqualTo(TaskState.QUEUED);
    assertThat(ledger.taskSnapshot(task(plan, 0).id()).orElseThrow().attempts().getFirst().code())
        .isEqualTo(TaskAttempt.INTERRUPTED);
  }

  @Test
  void aListOfTasksInAStateHoldsNoneOfAnother() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Integer> seen =
        CompletableFuture.supplyAsync(
            () -> {
              int tasks = 0;
              while (!over.get()) {
                for (TaskSnapshot found :
                    ledger.openTasks(ThreadReader.OPERATOR, "in_progress", 10)) {
                  assertThat(found.task().state()).isEqualTo(TaskState.IN_PROGRESS);
                  assertThat(found.attempts().getLast().endedAt()).isNull();
                  tasks++;
                }
              }
              return tasks;
            });
    for (int i = 0; i < 100; i++) {
      Plan plan = make("k" + i, step("one"));
      assertThat(end(begun(task(plan, 0), true), new AttemptEnd.Succeeded("done"))).isTrue();
    }
    over.set(true);
    assertThat(seen.get()).isPositive();
  }

  @Test
  void aTaskThatIsAlwaysCutOffIsGivenUpAfterItsAttempts() throws Exception {
    Plan plan = make("k", step("one"));
    for (int i = 0; i < FailureLadder.ATTEMPTS_MAX; i++) {
      assertThat(ledger.release(begun(task(plan, 0), true), "killed")).isTrue();
    }
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.DEAD_LETTERED);
    assertThat(stateOf(plan)).isEqualTo(PlanState.FAILED);
  }

  @Test
  void aLeaseThatHasNotBegunIsReleasedWhateverCameBefore() throws Exception {
    Plan plan = make("k", step("one"));
    for (int i = 0; i < FailureLadder.ATTEMPTS_MAX; i++) {
      assertThat(
              end(begun(task(plan, 0), true), new AttemptEnd.Again(FAILURE, Duration.ZERO, false)))
          .isTrue();
    }
    Task.Lease lease = ledger.dispatch(task(plan, 0).id(), time.now()).orElseThrow();
    assertThat(ledger.release(lease, "stopped")).isTrue();
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.QUEUED);
  }

  @Test
  void conversationsTakeTurnsHoweverMuchOneOfThemWants() throws Exception {
    for (int i = 0; i < 4; i++) {
      want("many", i, step("one"), step("two"));
    }
    want("few", 0, step("one"));
    assertThat(nextPlans(3)).containsExactly("many0", "many0", "few0");
    want("late", 0, step("one"), step("two"));
    assertThat(nextPlans(4)).containsExactly("many1", "many1", "late0", "late0");
    want("late", 1, step("one"));
    want("late", 2, step("one"));
    assertThat(nextPlans(6)).containsExactly("many2", "many2", "late1", "many3", "many3", "late2");
  }

  private void want(String thread, int number, Step... steps) throws StoreException {
    Plan _ =
        ledger.make(
            new NewPlan(
                thread + number,
                thread + number,
                50,
                new PlanOrigin("web:main:" + thread, "", "ann"),
                time.now(),
                false,
                List.of(steps)),
            100);
  }

  /** The goals of the plans whose tasks are given out next and done. */
  private List<String> nextPlans(int count) throws StoreException {
    List<String> goals = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Task next = ledger.ready(time.now(), List.of(), List.of(), 1).getFirst();
      goals.add(ledger.find(next.planId()).orElseThrow().goal());
      assertThat(end(begun(next, true), new AttemptEnd.Succeeded("1"))).isTrue();
    }
    return goals;
  }

  @Test
  void plansWithoutAConversationTakeTurnsByPerson() throws Exception {
    for (String key : List.of("ann-1", "ann-2", "bob-1")) {
      String person = key.substring(0, 3);
      Plan _ =
          ledger.make(
              new NewPlan(
                  key,
                  person,
                  50,
                  new PlanOrigin("", "", person),
                  time.now(),
                  false,
                  List.of(step("one"))),
              100);
    }
    assertThat(nextPlans(3)).containsExactly("ann", "bob", "ann");
  }

  @Test
  void aPlanIsCancelledInEveryStateAndItsLeasesAreWorthNothing() throws Exception {
    Plan plan = make("k", step("queued"), step("dispatched"), step("runs"), step("retried"));
    Task.Lease dispatched =
        ledger.dispatch(task(plan, 1).id(), time.now().plusSeconds(9)).orElseThrow();
    Task.Lease runs = begun(task(plan, 2), true);
    end(begun(task(plan, 3), true), new AttemptEnd.Again(FAILURE, Duration.ofSeconds(9), false));
    assertThat(ledger.cancel(plan.id(), "by hand", ENTRY)).isTrue();
    assertThat(ledger.tasksOf(plan.id())).extracting(Task::state).containsOnly(TaskState.CANCELLED);
    assertThat(ledger.begin(dispatched, true, false)).isFalse();
    assertThat(end(runs, new AttemptEnd.Succeeded("late"))).isFalse();
    assertThat(ledger.cancel(plan.id(), "again", ENTRY)).isFalse();
    assertThat(ledger.open()).isZero();
  }

  @Test
  void aDamagedTaskIsGivenUpWhereverItIsFound() throws Exception {
    Plan ready = make("ready", step("one"));
    Plan leased = make("leased", step("one"));
    Plan beside = make("beside", step("one"), step("two"));
    Plan cancelled = make("cancelled", step("one"));
    Task.Lease lease = begun(task(leased, 0), true);
    Task.Lease other = begun(task(beside, 0), true);
    damage("update tasks_tasks set payload = 'x' where id <> '%s'".formatted(other.taskId()));
    assertThat(ledger.cancel(cancelled.id(), "by hand", ENTRY)).isTrue();
    assertThat(end(other, new AttemptEnd.Succeeded("1"))).isTrue();
    assertThat(stateOf(beside)).isEqualTo(PlanState.SUCCEEDED);
    assertThat(ledger.ready(time.now(), List.of(), List.of(), 10)).isEmpty();
    assertThat(stateOf(ready)).isEqualTo(PlanState.FAILED);
    assertThat(end(lease, new AttemptEnd.Succeeded("1"))).isFalse();
    assertThat(ledger.expired(Instant.MAX, 10)).isEmpty();
    assertThat(stateOf(leased)).isEqualTo(PlanState.FAILED);
    assertThat(ledger.open()).isZero();
  }

  @Test
  void whatNobodyWouldEverFindIsEndedAtTheNextOpening() throws Exception {
    Plan unknown = make("unknown", step("one"));
    Plan lost = make("lost", step("one"));
    damage("update tasks_tasks set state = 'QUEUEE' where plan = '%s'".formatted(unknown.id()));
    damage("update tasks_tasks set plan = 'x' where plan = '%s'".formatted(lost.id()));
    reopen();
    assertThat(stateOf(unknown)).isEqualTo(PlanState.FAILED);
    assertThat(stateOf(lost)).isEqualTo(PlanState.FAILED);
    assertThat(ledger.open()).isZero();
  }

  @Test
  void theTasksOfADamagedPlanEndAndOthersGoOn() throws Exception {
    Plan bad = make("bad", step("one"), step("two"));
    Plan good = make("good", step("one"));
    Task.Lease lease = begun(task(bad, 1), true);
    damage("update tasks_plans set goal = 'x' where id = '%s'".formatted(bad.id()));
    assertThat(ledger.dispatch(task(bad, 0).id(), time.now())).isEmpty();
    assertThat(end(lease, new AttemptEnd.Succeeded("1"))).isFalse();
    assertThat(ledger.tasksOf(bad.id()))
        .extracting(Task::state)
        .containsOnly(TaskState.DEAD_LETTERED);
    assertThat(ledger.open()).isEqualTo(1);
    assertThat(ledger.ready(time.now(), List.of(), List.of(), 10))
        .extracting(Task::planId)
        .containsExactly(good.id());
    assertThat(ledger.untold(time.now(), 10)).isEmpty();
    assertThatThrownBy(() -> make("bad", step("one"))).isInstanceOf(StoreException.class);
  }

  private void damage(String sql) {
    assertThat(TestStore.sql(folder, sql)).isPositive();
  }

  @Test
  void theEndIsToldOnceToTheThreadAndNotBeforeItsTime() throws Exception {
    Plan plan =
        ledger.make(
            new NewPlan(
                "k",
                "goal",
                50,
                new PlanOrigin("web:main:t", "e1", "ann"),
                time.now().plusSeconds(60),
                false,
                List.of(step("one"))),
            100);
    end(begun(task(plan, 0), true), new AttemptEnd.Succeeded("1"));
    assertThat(ledger.untold(time.now(), 10)).isEmpty();
    ledger.tellThread(plan.id());
    assertThat(ledger.untold(time.now(), 10)).hasSize(1);
    assertThat(ledger.tell(plan, TestStore.event("t", NewEvent.OWN + "plan"))).isTrue();
    assertThat(ledger.tell(plan, TestStore.event("t", NewEvent.OWN + "plan"))).isFalse();
    reopen();
    assertThat(ledger.untold(time.now(), 10)).isEmpty();
    String event = it.store.inbox().findByDedupeKey(NewEvent.OWN + "plan").getFirst().id();
    assertThat(ledger.personBehind(event)).contains("ann");
    assertThat(ledger.personBehind("")).isEmpty();
  }

  @Test
  void anEndThatTheCallerTellsIsToldByNobodyElse() throws Exception {
    Plan plan = make("k", step("one"));
    assertThat(ledger.cancel(plan.id(), "in the chat", ENTRY, true)).isTrue();
    assertThat(ledger.untold(time.now().plusSeconds(3600), 10)).isEmpty();
    Plan other = make("l", step("one"));
    assertThat(ledger.cancel(other.id(), "by hand", ENTRY)).isTrue();
    assertThat(ledger.untold(time.now().plusSeconds(3600), 10)).hasSize(1);
  }

  @Test
  void whatIsReadyComesByPriorityAndAgeOverAllAgentsButThoseThatAreBusy() throws Exception {
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      String agent = List.of("a", "b", "c").get(i % 3);
      int priority = i % 2 == 0 ? 50 : 70;
      ledger.make(
          new NewPlan(
              "k" + i,
              "goal",
              priority,
              new PlanOrigin("", "", "ann"),
              time.now(),
              false,
              List.of(new Step("s" + i, agent, "do", "{}", Set.of()))),
          100);
      order.add("%d %02d %s".formatted(100 - priority, i, agent));
      time.advance(Duration.ofSeconds(1));
    }
    Collections.sort(order);
    for (List<String> busy : List.of(List.<String>of(), List.of("a"), List.of("a", "c"))) {
      assertThat(ledger.ready(time.now(), busy, List.of(), 7))
          .extracting(task -> task.step().name())
          .containsExactlyElementsOf(
              order.stream()
                  .filter(line -> !busy.contains(line.substring(6)))
                  .limit(7)
                  .map(line -> "s" + Integer.parseInt(line.substring(3, 5)))
                  .toList());
    }
    assertThat(ledger.ready(time.now(), List.of("a", "b", "c"), List.of(), 7)).isEmpty();
  }

  @Test
  void plansAreListedNewestFirstByThreadAndByWhetherTheyGoOn() throws Exception {
    Plan first = make("1", step("one"));
    Plan second = make("2", step("one"));
    ledger.cancel(second.id(), "", ENTRY);
    assertThat(ledger.list(ThreadReader.OPERATOR, "", PlanFilter.ALL, Long.MAX_VALUE, 10))
        .extracting(Plan::id)
        .containsExactly(second.id(), first.id());
    assertThat(
            ledger.list(ThreadReader.OPERATOR, "web:main:t", PlanFilter.OPEN, Long.MAX_VALUE, 10))
        .extracting(Plan::id)
        .containsExactly(first.id());
    assertThat(ledger.list(ThreadReader.OPERATOR, "web:main:u", PlanFilter.ALL, Long.MAX_VALUE, 10))
        .isEmpty();
    assertThat(ledger.nextDue(time.now().minus(Duration.ofSeconds(1)))).contains(time.now());
    assertThat(ledger.nextDue(time.now())).isEmpty();
  }

  @Test
  void plansAreListedByHowTheyStand() throws Exception {
    Plan waits = make("waits", step("one"));
    assertThat(
            end(
                begun(task(waits, 0), false),
                new AttemptEnd.Asked(InputQuestion.mayRun("May it?"))))
        .isTrue();
    Plan done = make("done", step("one"));
    assertThat(end(begun(task(done, 0), true), new AttemptEnd.Succeeded("1"))).isTrue();
    Plan broken = make("broken", step("one"));
    assertThat(end(begun(task(broken, 0), true), new AttemptEnd.GivenUp(FAILURE))).isTrue();
    Plan dropped = make("dropped", step("one"));
    ledger.cancel(dropped.id(), "", ENTRY);
    Plan open = make("open", step("one"));
    assertThat(listed(PlanFilter.ALL)).hasSize(5);
    assertThat(listed(PlanFilter.OPEN)).containsExactly(open.id(), waits.id());
    assertThat(listed(PlanFilter.AWAITING_INPUT)).containsExactly(waits.id());
    assertThat(listed(PlanFilter.SUCCEEDED)).containsExactly(done.id());
    assertThat(listed(PlanFilter.FAILED)).containsExactly(broken.id());
    assertThat(listed(PlanFilter.CANCELLED)).containsExactly(dropped.id());
  }

  private List<String> listed(PlanFilter filter) {
    return ledger.list(ThreadReader.OPERATOR, "", filter, Long.MAX_VALUE, 10).stream()
        .map(Plan::id)
        .toList();
  }
}
