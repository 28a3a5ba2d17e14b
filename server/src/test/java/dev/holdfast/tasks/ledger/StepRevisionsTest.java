package dev.holdfast.tasks.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskState;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepRevisionsTest extends LedgerCase {
  private static final TaskFailure FAILURE =
      new TaskFailure(FailureCode.BACKEND_FAILURE, "no luck", true);
  private static final AuditEntry ENTRY = new AuditEntry("plan.x", "", "", "", "ann", "{}");

  private void end(Plan plan, int position, AttemptEnd end) throws StoreException {
    assertThat(ledger.end(begun(task(plan, position), true), end, CircuitRules.DEFAULT)).isTrue();
  }

  /** Waits for a judgement: one step has succeeded, one was given up. */
  private Plan reviewed(String key) throws StoreException {
    ledger.reviewWhen(() -> true);
    Plan plan = make(key, step("good"), step("bad"));
    end(plan, 0, new AttemptEnd.Succeeded("42"));
    end(plan, 1, new AttemptEnd.GivenUp(FAILURE));
    assertThat(stateOf(plan)).isEqualTo(PlanState.RUNNING);
    return plan;
  }

  @Test
  void aDraftWaitsForItsSteps() throws Exception {
    Plan draft = make("a");
    Plan other = make("b");
    Plan dropped = make("c");
    reopen();
    assertThat(ledger.revisions().drafts(10))
        .extracting(Plan::id)
        .containsExactly(draft.id(), other.id(), dropped.id());
    assertThat(stateOf(draft)).isEqualTo(PlanState.DRAFT);
    assertThat(ledger.cancel(dropped.id(), "by hand", ENTRY)).isTrue();
    assertThat(ledger.revisions().accept(dropped.id(), List.of(step("x")), 100)).isFalse();
    assertThatThrownBy(
            () -> ledger.revisions().accept(draft.id(), List.of(step("x"), step("y")), 1))
        .isInstanceOf(StoreException.class);
    assertThat(ledger.revisions().accept(draft.id(), List.of(step("x"), step("y", "x")), 100))
        .isTrue();
    assertThat(ledger.revisions().accept(draft.id(), List.of(step("z")), 100)).isFalse();
    assertThat(stateOf(draft)).isEqualTo(PlanState.PENDING);
    assertThat(ledger.open()).isEqualTo(2);
    assertThat(ledger.revisions().fail(other.id(), "nobody can")).isTrue();
    assertThat(ledger.find(other.id()).orElseThrow().reason()).isEqualTo("nobody can");
    assertThat(ledger.revisions().drafts(10)).isEmpty();
  }

  @Test
  void whatFailedIsJudgedAfterARestartToo() throws Exception {
    Plan plan = reviewed("a");
    reopen();
    assertThat(ledger.revisions().reviewed(10)).extracting(Plan::id).containsExactly(plan.id());
    assertThat(ledger.revisions().conclude(plan.id(), true, "good enough")).isTrue();
    assertThat(ledger.revisions().conclude(plan.id(), false, "no")).as("once").isFalse();
    assertThat(stateOf(plan)).isEqualTo(PlanState.SUCCEEDED);
    assertThat(ledger.revisions().reviewed(10)).isEmpty();
  }

  @Test
  void withoutAJudgementTheStepsDecide() throws Exception {
    Plan plan = reviewed("a");
    assertThat(ledger.revisions().concludeAsSteps(plan.id())).isTrue();
    assertThat(ledger.find(plan.id()).orElseThrow().reason()).contains("\"bad\" failed: no luck");
  }

  @Test
  void otherStepsStandInForWhatFailedTwiceAtMost() throws Exception {
    Plan plan = reviewed("a");
    for (int round = 1; round <= PlanLedger.REPLANS_MAX; round++) {
      assertThat(ledger.revisions().reviewed(10)).hasSize(1);
      assertThat(
              ledger
                  .revisions()
                  .replan(plan.id(), List.of(step("again" + round, "good")), "why not", true, 100))
          .isTrue();
      reopen();
      ledger.reviewWhen(() -> true);
      assertThat(stateOf(plan)).isEqualTo(PlanState.RUNNING);
      assertThat(ledger.find(plan.id()).orElseThrow().supervised()).isTrue();
      end(plan, 1 + round, new AttemptEnd.GivenUp(FAILURE));
    }
    assertThat(ledger.revisions().reviewed(10)).isEmpty();
    assertThat(stateOf(plan)).as("the first one did").isEqualTo(PlanState.SUCCEEDED);
    assertThat(ledger.find(plan.id()).orElseThrow().reason()).contains("again2");
  }

  @Test
  void aCancelledPlanIsNotJudged() throws Exception {
    Plan plan = reviewed("a");
    assertThat(ledger.cancel(plan.id(), "by hand", ENTRY)).isTrue();
    assertThat(ledger.revisions().reviewed(10)).isEmpty();
    assertThat(ledger.revisions().replan(plan.id(), List.of(step("x")), "", false, 100)).isFalse();
    assertThat(task(plan, 0).state()).isEqualTo(TaskState.SUCCEEDED);
  }
}
