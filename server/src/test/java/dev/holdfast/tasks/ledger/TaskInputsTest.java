package dev.holdfast.tasks.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.InputKind;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TaskInputsTest extends LedgerCase {
  private static final AuditEntry ENTRY = new AuditEntry("task.answered", "", "", "", "ann", "{}");

  private static InputQuestion question(InputKind kind, @Nullable String fallback) {
    return new InputQuestion(
        kind, "Which?", List.of("a", "b"), Duration.ofHours(1), fallback, "{\"page\":3}");
  }

  private Plan asking(InputQuestion question) throws StoreException {
    Plan plan = make("k" + question.kind(), step("one"), step("two", "one"));
    Task.Lease lease = begun(task(plan, 0), false);
    assertThat(ledger.end(lease, new AttemptEnd.Asked(question), CircuitRules.DEFAULT)).isTrue();
    return plan;
  }

  private TaskInput open(Plan plan) {
    return ledger.inputs().open(task(plan, 0).id()).orElseThrow();
  }

  @Test
  void aQuestionOutlivesARestartAndTheAnswerGoesAlong() throws Exception {
    Plan plan = asking(question(InputKind.ANSWER, null));
    reopen();
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.AWAITING_INPUT);
    assertThat(task(plan, 0).leaseUntil()).isNull();
    assertThat(task(plan, 0).asks()).isEqualTo(1);
    assertThat(task(plan, 0).attemptsOfAgent()).as("to ask is no failure").isZero();
    TaskInput input = open(plan);
    assertThat(input.question().text()).isEqualTo("Which?");
    assertThat(input.deadline()).isEqualTo(time.now().plus(Duration.ofHours(1)));
    assertThat(ledger.inputs().open("web:main:t", input.code().toUpperCase(Locale.ROOT)))
        .contains(input);
    assertThat(ledger.inputs().open("web:main:u", input.code())).isEmpty();
    assertThat(ledger.inputs().openOf(ThreadReader.OPERATOR, 10)).containsExactly(input);
    assertThat(ledger.ready(time.now(), Set.of(), Set.of(), 10)).isEmpty();

    assertThat(ledger.inputs().answer(input.id(), "b", "ann", ENTRY)).isTrue();
    assertThat(ledger.inputs().answer(input.id(), "a", "bob", ENTRY)).as("once").isFalse();
    reopen();
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.QUEUED);
    TaskInput answered = ledger.inputs().answered(task(plan, 0).id()).orElseThrow();
    assertThat(answered.answer()).isEqualTo("b");
    assertThat(answered.answeredBy()).isEqualTo("ann");
    assertThat(answered.question().state()).isEqualTo("{\"page\":3}");
    assertThat(ledger.inputs().closed(task(plan, 0).id())).containsExactly(answered);
    assertThat(ledger.ready(time.now(), Set.of(), Set.of(), 10)).hasSize(1);
  }

  @Test
  void atItsDeadlineItFallsBackOrTheTaskIsGivenUp() throws Exception {
    Plan falls = asking(question(InputKind.ANSWER, "b"));
    Plan fails = asking(question(InputKind.APPROVAL, null));
    assertThat(ledger.inputs().endOverdue(time.now().plusSeconds(3599), 10)).isZero();
    assertThat(ledger.inputs().endOverdue(time.now().plusSeconds(3600), 10)).isEqualTo(2);
    assertThat(task(falls, 0).state()).isEqualTo(TaskState.QUEUED);
    assertThat(ledger.inputs().answered(task(falls, 0).id()).orElseThrow().answeredBy())
        .isEqualTo(TaskInput.BY_DEADLINE);
    assertThat(task(fails, 0).state()).isEqualTo(TaskState.DEAD_LETTERED);
    assertThat(task(fails, 0).reason()).isEqualTo("nobody has answered in time");
    assertThat(task(fails, 1).state()).isEqualTo(TaskState.FAILED);
    assertThat(stateOf(fails)).isEqualTo(PlanState.FAILED);
    assertThat(ledger.inputs().openOf(ThreadReader.OPERATOR, 10)).isEmpty();
  }

  @Test
  void whoeverCancelsIsNotAskedAnyMore() throws Exception {
    Plan plan = asking(question(InputKind.ANSWER, null));
    TaskInput input = open(plan);
    assertThat(ledger.cancelTask(task(plan, 0).id(), "by hand", ENTRY)).isTrue();
    assertThat(ledger.inputs().open(task(plan, 0).id())).isEmpty();
    assertThat(ledger.inputs().closed(task(plan, 0).id()).getFirst().answeredBy()).isEmpty();
    assertThat(ledger.inputs().answer(input.id(), "a", "ann", ENTRY)).isFalse();
    assertThat(ledger.inputs().answered(task(plan, 0).id())).isEmpty();
    assertThat(stateOf(plan)).isEqualTo(PlanState.FAILED);
  }

  @Test
  void aCredentialIsForgottenOnceItWasUsed() throws Exception {
    Plan plan = asking(question(InputKind.CREDENTIAL, null));
    String id = open(plan).id();
    assertThat(ledger.inputs().answer(id, "b", "ann", ENTRY)).isTrue();
    assertThat(ledger.inputs().answered(task(plan, 0).id()).orElseThrow().answer()).isEqualTo("b");
    TaskInput shown = ledger.inputs().closed(task(plan, 0).id()).getFirst();
    assertThat(shown.answer()).as("it is for its agent alone").isEmpty();
    assertThat(shown.answeredBy()).isEqualTo("ann");
    Task.Lease lease = begun(task(plan, 0), true);
    ledger.end(lease, new AttemptEnd.Succeeded("1"), CircuitRules.DEFAULT);
    assertThat(ledger.inputs().answered(task(plan, 0).id()).orElseThrow().answer()).isEmpty();
  }

  @Test
  void aDamagedQuestionIsGivenUpInTime() throws Exception {
    Plan plan = asking(question(InputKind.ANSWER, "b"));
    close();
    TestStore.sql(folder, "update tasks_inputs set question = 'Other?'");
    open();
    assertThat(ledger.inputs().open(task(plan, 0).id())).isEmpty();
    assertThat(ledger.inputs().endOverdue(time.now().plusSeconds(3600), 10)).isEqualTo(1);
    assertThat(task(plan, 0).reason()).isEqualTo("its question is damaged");
  }

  @Test
  void aRejectionBeforeTheCallCancelsTheTask() throws Exception {
    Plan plan = make("k", step("one"), step("two"));
    for (int i = 0; i < 2; i++) {
      assertThat(ledger.inputs().askBefore(task(plan, i).id(), InputQuestion.mayRun("May it?")))
          .isTrue();
    }
    String yes = ledger.inputs().open(task(plan, 0).id()).orElseThrow().id();
    String no = ledger.inputs().open(task(plan, 1).id()).orElseThrow().id();
    assertThat(ledger.inputs().answer(yes, "Allow", "ann", ENTRY)).isTrue();
    assertThat(ledger.inputs().answer(no, "Reject", "ann", ENTRY)).isTrue();
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.QUEUED);
    assertThat(ledger.inputs().isAllowed(task(plan, 0).id())).isTrue();
    assertThat(ledger.inputs().answered(task(plan, 0).id())).as("not the agent's").isEmpty();
    assertThat(task(plan, 1).state()).isEqualTo(TaskState.CANCELLED);
    assertThat(ledger.inputs().isAllowed(task(plan, 1).id())).isFalse();
  }

  @Test
  void whatWasCutOffIsLookedAtWhenItsAgentCan() throws Exception {
    Plan plan = make("k", step("one"));
    Task.Lease lease = ledger.dispatch(task(plan, 0).id(), time.now()).orElseThrow();
    assertThat(ledger.begin(lease, false, true)).isTrue();
    assertThat(ledger.release(lease, "stopped")).isTrue();
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.QUEUED);
    assertThat(task(plan, 0).doubtful()).isTrue();
    Task.Lease next = begun(task(plan, 0), false);
    assertThat(ledger.checked(lease)).as("an older lease").isFalse();
    assertThat(ledger.checked(next)).isTrue();
    assertThat(task(plan, 0).doubtful()).isFalse();
    assertThat(ledger.release(next, "stopped")).isTrue();
    assertThat(task(plan, 0).state())
        .as("begun without a check")
        .isEqualTo(TaskState.DEAD_LETTERED);
  }
}
