package dev.holdfast.tasks.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TaskMovesTest {
  private static final Map<TaskState, Map<TaskEvent, TaskState>> MOVES = moves();

  private static Map<TaskState, Map<TaskEvent, TaskState>> moves() {
    Map<TaskEvent, TaskState> waiting =
        Map.of(
            TaskEvent.DISPATCH, TaskState.DISPATCHED,
            TaskEvent.ASK, TaskState.AWAITING_INPUT,
            TaskEvent.GIVE_UP, TaskState.DEAD_LETTERED,
            TaskEvent.FAIL, TaskState.FAILED,
            TaskEvent.CANCEL, TaskState.CANCELLED);
    Map<TaskState, Map<TaskEvent, TaskState>> moves = new HashMap<>();
    moves.put(TaskState.QUEUED, waiting);
    moves.put(TaskState.RETRIED, waiting);
    moves.put(
        TaskState.DISPATCHED,
        Map.of(
            TaskEvent.BEGIN, TaskState.IN_PROGRESS,
            TaskEvent.RELEASE, TaskState.QUEUED,
            TaskEvent.CANCEL, TaskState.CANCELLED));
    moves.put(
        TaskState.IN_PROGRESS,
        Map.of(
            TaskEvent.ASK, TaskState.AWAITING_INPUT,
            TaskEvent.SUCCEED, TaskState.SUCCEEDED,
            TaskEvent.RETRY, TaskState.RETRIED,
            TaskEvent.RELEASE, TaskState.QUEUED,
            TaskEvent.GIVE_UP, TaskState.DEAD_LETTERED,
            TaskEvent.CANCEL, TaskState.CANCELLED));
    moves.put(
        TaskState.AWAITING_INPUT,
        Map.of(
            TaskEvent.ANSWER, TaskState.QUEUED,
            TaskEvent.GIVE_UP, TaskState.DEAD_LETTERED,
            TaskEvent.CANCEL, TaskState.CANCELLED));
    return moves;
  }

  @Test
  void eachEventInEachStateLeadsWhereItShouldOrIsRefused() {
    for (TaskState state : TaskState.values()) {
      for (TaskEvent event : TaskEvent.values()) {
        assertThat(TaskMoves.next(state, event))
            .as("%s in %s", event, state)
            .isEqualTo(Optional.ofNullable(MOVES.getOrDefault(state, Map.of()).get(event)));
      }
    }
  }

  @Property
  void nothingFollowsOnAnEnd(@ForAll TaskState state, @ForAll TaskEvent event) {
    assertThat(state.isTerminal() && TaskMoves.next(state, event).isPresent()).isFalse();
  }

  @Test
  void eachStateThatIsNoEndCanBeCancelled() {
    for (TaskState state : TaskState.values()) {
      assertThat(TaskMoves.next(state, TaskEvent.CANCEL).isPresent())
          .as("%s", state)
          .isNotEqualTo(state.isTerminal());
    }
  }

  @Property
  void onlyAnAttemptThatHasBegunCanSucceed(@ForAll TaskState state) {
    assertThat(TaskMoves.next(state, TaskEvent.SUCCEED).isPresent())
        .isEqualTo(state == TaskState.IN_PROGRESS);
  }

  @Test
  void aLeaseIsOutFromTheDispatchToTheResult() {
    assertThat(TaskState.values())
        .filteredOn(TaskState::isLeased)
        .containsExactly(TaskState.DISPATCHED, TaskState.IN_PROGRESS);
  }
}
