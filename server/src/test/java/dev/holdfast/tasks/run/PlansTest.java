package dev.holdfast.tasks.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.tasks.ledger.AttemptEnd;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.PlanOrigin;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.workers.AgentAction;
import dev.holdfast.tasks.workers.AgentSettings;
import dev.holdfast.tasks.workers.Assignment;
import dev.holdfast.tasks.workers.AttemptResult;
import dev.holdfast.tasks.workers.WorkerAgent;
import dev.holdfast.time.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Plans as they are asked for, and as their ends are told. */
@Timeout(60)
class PlansTest {
  private static final TaskFailure FAILED =
      new TaskFailure(FailureCode.BACKEND_FAILURE, "it broke", true);
  private static final CircuitRules CIRCUIT = new CircuitRules(1, Duration.ofSeconds(60));

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  @AutoClose private TestStore it;
  private PlanLedger ledger;
  private Plans plans;
  private boolean writes;
  private int openMax = 100;

  /** Is listed, and never called: nothing runs here. */
  private record ListedAgent(String id) implements WorkerAgent {
    @Override
    public AgentSettings settings() {
      return AgentSettings.DEFAULT;
    }

    @Override
    public List<AgentAction> actions() {
      return List.of(new AgentAction("do", "", "{}", ReplayClass.READ));
    }

    @Override
    public AttemptResult attempt(Assignment assignment) {
      throw new IllegalStateException("nothing runs");
    }
  }

  @BeforeEach
  void open() throws Exception {
    it = new TestStore(folder);
    ledger = PlanLedger.open(it.store.engine(), it.store.inbox(), it.store.audit(), time);
    WorkerAgent agent = new ListedAgent("worker");
    AgentDirectory directory =
        new AgentDirectory() {
          @Override
          public Optional<WorkerAgent> find(String id) {
            return Optional.of(agent).filter(one -> one.id().equals(id));
          }

          @Override
          public List<WorkerAgent> all() {
            return List.of(agent);
          }
        };
    TaskRunner runner =
        new TaskRunner(ledger, directory, () -> 4, new RecentResults(time), time, () -> 0);
    plans =
        new Plans(
            ledger, runner, directory, () -> openMax, () -> writes, () -> true, time, _ -> {});
  }

  private static Step step(String name, String agent, String action, String payload) {
    return new Step(name, agent, action, payload, Set.of());
  }

  private PlanVerdict ask(String key, String thread, Step... steps) throws Exception {
    return plans.create(
        new PlanRequest(
            key,
            "a goal",
            50,
            new PlanOrigin(thread, "", "ann"),
            Duration.ZERO,
            false,
            List.of(steps)));
  }

  private Plan made(String key, String thread, Step... steps) throws Exception {
    return ask(key, thread, steps) instanceof PlanVerdict.Made(Plan plan)
        ? plan
        : Assertions.fail("it was refused");
  }

  private void end(Plan plan, AttemptEnd end) throws Exception {
    Task task = ledger.tasksOf(plan.id()).getFirst();
    Task.Lease lease = ledger.dispatch(task.id(), time.now().plusSeconds(30)).orElseThrow();
    assertThat(ledger.begin(lease, true, false)).isTrue();
    assertThat(ledger.end(lease, end, CIRCUIT)).isTrue();
  }

  @Test
  void allThatIsWrongIsSaidAndNothingIsWritten() throws Exception {
    PlanVerdict verdict =
        ask(
            "k",
            "",
            step("a", "nobody", "do", "{}"),
            step("b", "worker", "fly", "{}"),
            step("c", "worker", "do", "[]"),
            new Step("d", "worker", "do", "{}", Set.of("x")));
    assertThat(verdict).isInstanceOf(PlanVerdict.Invalid.class);
    assertThat(((PlanVerdict.Invalid) verdict).problems())
        .containsExactlyInAnyOrder(
            "step \"d\" needs \"x\", which is no step",
            "step \"a\": there is no agent \"nobody\"; there are: worker",
            "step \"b\": agent \"worker\" has no action \"fly\"; it has: do",
            "the payload of step \"c\" is no JSON object");
    assertThat(ledger.findByKey("k")).isEmpty();
  }

  private List<String> problemsOf(String goal) throws Exception {
    PlanVerdict verdict =
        plans.create(
            new PlanRequest(
                "k " + goal,
                goal,
                50,
                new PlanOrigin("", "", "ann"),
                Duration.ZERO,
                false,
                List.of()));
    return verdict instanceof PlanVerdict.Invalid(List<String> problems) ? problems : List.of();
  }

  /** Whoever names an agent means it, even where a model could make something of the goal. */
  @Test
  void aGoalThatNamesAnAgentIsToldWhatIsWrongWithIt() throws Exception {
    for (boolean each : new boolean[] {false, true}) {
      writes = each;
      assertThat(problemsOf("worker.fly {\"mode\":\"ok\"}"))
          .containsExactly("step \"task\": agent \"worker\" has no action \"fly\"; it has: do");
      assertThat(problemsOf("worker.do {\"mode\":"))
          .containsExactly("the payload of step \"task\" is no JSON object");
      assertThat(problemsOf("worker.fly {\"mode\":\"ok\"} now")).hasSize(2);
      assertThat(problemsOf("worker.do {\"mode\":\"ok\"}")).isEmpty();
    }
    assertThat(problemsOf("nobody.fly {}")).isEmpty();
    writes = false;
    assertThat(problemsOf("nobody.do {}")).singleElement().asString().contains("no model writes");
  }

  @Test
  void stepsThatCouldNeverBeOpenAreRefusedForGood() throws Exception {
    openMax = 1;
    PlanVerdict verdict =
        ask("k", "", step("a", "worker", "do", "{}"), step("b", "worker", "do", "{}"));
    assertThat(verdict).isInstanceOf(PlanVerdict.Invalid.class);
    assertThat(((PlanVerdict.Invalid) verdict).problems())
        .containsExactly("2 steps are more than may be open here: tasks.max_open is 1");
    made("k2", "", step("a", "worker", "do", "{}"));
    assertThatThrownBy(() -> ask("k3", "", step("a", "worker", "do", "{}")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(
            "1 tasks are open, and 1 more would exceed tasks.max_open, which is 1");
  }

  @Test
  void aReferenceIsANeedAndAKeyMakesOnePlan() throws Exception {
    Plan plan =
        made(
            "k",
            "",
            step("a", "worker", "do", "{}"),
            step("b", "worker", "do", "{\"x\": \"${a.y} ${HOME}\"}"));
    assertThat(ledger.tasksOf(plan.id()).getLast().step().needs()).containsExactly("a");
    assertThat(made("k", "", step("other", "worker", "do", "{}")).id()).isEqualTo(plan.id());
  }

  @Test
  void whatOnlyARestingAgentCanDoFailsAtOnceAndSaysWhy() throws Exception {
    end(made("k", "", step("a", "worker", "do", "{}")), new AttemptEnd.GivenUp(FAILED));
    PlanVerdict verdict = ask("k2", "", step("a", "worker", "do", "{}"));
    assertThat(verdict).isInstanceOf(PlanVerdict.Unavailable.class);
    PlanVerdict.Unavailable unavailable = (PlanVerdict.Unavailable) verdict;
    assertThat(unavailable.until()).isEqualTo(time.now().plusSeconds(60));
    assertThat(unavailable.plan().state()).isEqualTo(PlanState.FAILED);
    assertThat(unavailable.plan().reason())
        .contains("Agent 'worker' is temporarily unavailable due to recent failures.");
    time.advance(Duration.ofSeconds(61));
    assertThat(ask("k3", "", step("a", "worker", "do", "{}")))
        .as("one may try")
        .isInstanceOf(PlanVerdict.Made.class);
  }

  @Test
  void theEndIsOneMessageOfItsThread() throws Exception {
    String thread = "webhook:ci:t";
    Plan plan = made("k", thread, step("a", "worker", "do", "{}"));
    Plan quiet = made("k2", "", step("a", "worker", "do", "{}"));
    end(plan, new AttemptEnd.Succeeded("{\"colour\": \"blue\"}"));
    end(quiet, new AttemptEnd.Succeeded("1"));
    PlanNotices notices =
        new PlanNotices(
            ledger, NewEvent.OWN + "wakeup:", "schedule:", NewEvent.OWN + "notice:", time);
    notices.step();
    notices.step();
    List<Event> told = it.store.inbox().openOf(thread, 0, 10);
    assertThat(told).hasSize(1);
    assertThat(InboundPayload.read(told.getFirst().payload()).text())
        .contains("asked for by ann, has succeeded]")
        .contains("Goal: a goal")
        .contains("untrusted")
        .contains("blue");
    assertThat(ledger.personBehind(told.getFirst().id())).contains("ann");
    assertThat(it.store.inbox().open(0, 10)).as("nobody is told of the other").hasSize(1);
  }
}
