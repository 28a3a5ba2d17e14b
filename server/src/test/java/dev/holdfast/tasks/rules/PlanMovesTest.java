package dev.holdfast.tasks.rules;

import static dev.holdfast.tasks.rules.TaskState.DEAD_LETTERED;
import static dev.holdfast.tasks.rules.TaskState.FAILED;
import static dev.holdfast.tasks.rules.TaskState.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PlanMovesTest {
  private static final Map<PlanState, Map<PlanEvent, PlanState>> MOVES =
      Map.of(
          PlanState.DRAFT,
          Map.of(
              PlanEvent.ACCEPT, PlanState.PENDING,
              PlanEvent.FAIL, PlanState.FAILED,
              PlanEvent.CANCEL, PlanState.CANCELLED),
          PlanState.PENDING,
          Map.of(
              PlanEvent.START, PlanState.RUNNING,
              PlanEvent.FAIL, PlanState.FAILED,
              PlanEvent.CANCEL, PlanState.CANCELLED),
          PlanState.RUNNING,
          Map.of(
              PlanEvent.SUCCEED, PlanState.SUCCEEDED,
              PlanEvent.FAIL, PlanState.FAILED,
              PlanEvent.CANCEL, PlanState.CANCELLED));

  @Test
  void eachEventInEachStateLeadsWhereItShouldOrIsRefused() {
    for (PlanState state : PlanState.values()) {
      for (PlanEvent event : PlanEvent.values()) {
        assertThat(PlanMoves.next(state, event))
            .as("%s in %s", event, state)
            .isEqualTo(Optional.ofNullable(MOVES.getOrDefault(state, Map.of()).get(event)));
      }
    }
  }

  @Test
  void theStatesWithoutMovesAreTheEnds() {
    for (PlanState state : PlanState.values()) {
      assertThat(state.isTerminal()).as("%s", state).isNotEqualTo(MOVES.containsKey(state));
    }
  }

  private static StepOutcome step(String name, TaskState state, String... needs) {
    return new StepOutcome(name, state, Set.of(needs));
  }

  private static List<StepOutcome> apart(List<TaskState> states) {
    List<StepOutcome> steps = new ArrayList<>();
    states.forEach(state -> steps.add(step("s" + steps.size(), state)));
    return steps;
  }

  @Property
  void aPlanOfIndependentStepsFailsOnlyWhenNoneSucceeded(
      @ForAll @Size(min = 1, max = 10) List<TaskState> states) {
    Optional<PlanEvent> ending = PlanMoves.ending(apart(states));
    assertThat(ending.isPresent()).isEqualTo(states.stream().allMatch(TaskState::isTerminal));
    ending.ifPresent(
        event -> assertThat(event == PlanEvent.SUCCEED).isEqualTo(states.contains(SUCCEEDED)));
  }

  @Test
  void whatAnotherStepNeedsHasToSucceed() {
    assertThat(
            PlanMoves.ending(
                List.of(
                    step("a", SUCCEEDED), step("b", DEAD_LETTERED), step("c", FAILED, "a", "b"))))
        .contains(PlanEvent.FAIL);
    assertThat(
            PlanMoves.ending(
                List.of(step("a", SUCCEEDED), step("b", DEAD_LETTERED), step("c", SUCCEEDED, "a"))))
        .contains(PlanEvent.SUCCEED);
  }

  @Property
  void howARunningPlanEndsIsAMoveThatItHas(@ForAll @Size(max = 10) List<TaskState> states) {
    PlanMoves.ending(apart(states))
        .ifPresent(
            event ->
                assertThat(PlanMoves.next(PlanState.RUNNING, event))
                    .hasValueSatisfying(state -> assertThat(state.isTerminal()).isTrue()));
  }
}
