package dev.holdfast.tasks.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TaskLettersTest extends LedgerCase {
  private static final TaskFailure FAILURE =
      new TaskFailure(FailureCode.BACKEND_FAILURE, "no luck", true);
  private static final AuditEntry ENTRY = new AuditEntry("operator.x", "", "", "", "ann", "{}");

  /** One step has succeeded, one was given up, and one had needed that. */
  private Plan lost(String key) throws StoreException {
    Plan plan = make(key, step("good"), step("bad", "good"), step("after", "bad"));
    ledger.end(begun(task(plan, 0), true), new AttemptEnd.Succeeded("42"), CircuitRules.DEFAULT);
    ledger.end(begun(task(plan, 1), true), new AttemptEnd.GivenUp(FAILURE), CircuitRules.DEFAULT);
    assertThat(stateOf(plan)).isEqualTo(PlanState.FAILED);
    return plan;
  }

  private List<TaskLetters.Letter> all() {
    return ledger
        .letters()
        .list(ThreadReader.OPERATOR, time.now().plusSeconds(1), Long.MAX_VALUE, false, 10);
  }

  @Test
  void whatWasGivenUpIsALetterUntilItIsDiscarded() throws Exception {
    Plan first = lost("a");
    Plan second = lost("b");
    reopen();
    assertThat(all())
        .extracting(letter -> letter.plan().id())
        .containsExactly(second.id(), first.id());
    assertThat(ledger.letters().count(ThreadReader.OPERATOR)).isEqualTo(2);
    long upTo = all().getLast().number();
    assertThat(
            ledger.letters().list(ThreadReader.OPERATOR, time.now().plusSeconds(1), upTo, true, 10))
        .hasSize(1);
    assertThat(
            ledger
                .letters()
                .list(ThreadReader.owner("bob"), time.now().plusSeconds(1), upTo, true, 10))
        .isEmpty();
    String task = task(first, 1).id();
    assertThat(ledger.letters().discard(task, ENTRY)).isTrue();
    assertThat(ledger.letters().discard(task, ENTRY)).isFalse();
    assertThat(ledger.letters().count(ThreadReader.OPERATOR)).isEqualTo(1);
    assertThat(ledger.letters().retry(task, 100, ENTRY)).isEmpty();
  }

  @Test
  void aRetryTakesOverWhatSucceededAndRunsTheRest() throws Exception {
    Plan old = lost("a");
    Plan plan = ledger.letters().retry(task(old, 1).id(), 100, ENTRY).orElseThrow();
    assertThat(plan.retryOf()).isEqualTo(old.id());
    assertThat(stateOf(old)).as("terminal is final").isEqualTo(PlanState.FAILED);
    reopen();
    assertThat(ledger.tasksOf(plan.id()))
        .extracting(Task::state)
        .containsExactly(TaskState.SUCCEEDED, TaskState.QUEUED, TaskState.QUEUED);
    assertThat(task(plan, 0).output()).isEqualTo("42");
    assertThat(ledger.open()).isEqualTo(2);
    assertThat(ledger.letters().count(ThreadReader.OPERATOR)).isZero();
    assertThat(ledger.letters().retry(task(old, 1).id(), 100, ENTRY)).isEqualTo(Optional.empty());
    ledger.end(begun(task(plan, 1), true), new AttemptEnd.Succeeded("1"), CircuitRules.DEFAULT);
    ledger.end(begun(task(plan, 2), true), new AttemptEnd.Succeeded("2"), CircuitRules.DEFAULT);
    assertThat(stateOf(plan)).isEqualTo(PlanState.SUCCEEDED);
    assertThat(ledger.open()).isZero();
  }

  @Test
  void aPlanThatRunsIsNotTriedAgain() throws Exception {
    Plan plan = make("a", step("bad"), step("long"));
    ledger.end(begun(task(plan, 0), true), new AttemptEnd.GivenUp(FAILURE), CircuitRules.DEFAULT);
    assertThat(ledger.letters().retry(task(plan, 0).id(), 100, ENTRY)).isEmpty();
    assertThat(ledger.letters().count(ThreadReader.OPERATOR)).isEqualTo(1);
  }
}
