package dev.holdfast.tasks.rules;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The moves of a plan: every event in every state. */
public final class PlanMoves {
  private PlanMoves() {}

  /** The next state; empty for a move that is refused. */
  public static Optional<PlanState> next(PlanState state, PlanEvent event) {
    return Optional.ofNullable(
        switch (state) {
          case DRAFT ->
              switch (event) {
                case ACCEPT -> PlanState.PENDING;
                case FAIL -> PlanState.FAILED;
                case CANCEL -> PlanState.CANCELLED;
                case START, SUCCEED -> null;
              };
          case PENDING ->
              switch (event) {
                case START -> PlanState.RUNNING;
                case FAIL -> PlanState.FAILED;
                case CANCEL -> PlanState.CANCELLED;
                case ACCEPT, SUCCEED -> null;
              };
          case RUNNING ->
              switch (event) {
                case SUCCEED -> PlanState.SUCCEEDED;
                case FAIL -> PlanState.FAILED;
                case CANCEL -> PlanState.CANCELLED;
                case ACCEPT, START -> null;
              };
          case SUCCEEDED, FAILED, CANCELLED ->
              switch (event) {
                case ACCEPT, START, SUCCEED, FAIL, CANCEL -> null;
              };
        });
  }

  /**
   * What its steps make of a running plan, which ends when all of them have. It fails when none
   * succeeded, or one that another needs did not; what is missing else is only told. Empty: it goes
   * on.
   */
  public static Optional<PlanEvent> ending(Collection<StepOutcome> steps) {
    if (steps.stream().anyMatch(step -> !step.state().isTerminal())) {
      return Optional.empty();
    }
    Set<String> succeeded =
        steps.stream()
            .filter(step -> step.state() == TaskState.SUCCEEDED)
            .map(StepOutcome::name)
            .collect(Collectors.toSet());
    boolean whole = steps.stream().allMatch(step -> succeeded.containsAll(step.needs()));
    return Optional.of(whole && !succeeded.isEmpty() ? PlanEvent.SUCCEED : PlanEvent.FAIL);
  }
}
