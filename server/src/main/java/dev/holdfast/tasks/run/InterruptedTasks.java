package dev.holdfast.tasks.run;

import dev.holdfast.incidents.InterruptedWork;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.rules.TaskState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tasks that the last run was in the middle of. Thread-safe. */
public final class InterruptedTasks implements InterruptedWork {
  private static final int SHOWN_MAX = 10;

  private final PlanLedger ledger;
  private volatile @Nullable List<Task> cut;

  InterruptedTasks(PlanLedger ledger) {
    this.ledger = ledger;
  }

  /**
   * They were taken back, as they were then. Only the first time counts: later ones are of this
   * run.
   */
  void found(List<Task> tasks) {
    if (cut == null) {
      cut = List.copyOf(tasks);
    }
  }

  /** Whether some were given out and have not been taken back yet. */
  public boolean isAnyLeft() {
    return cut == null && ledger.isAnyGivenOut();
  }

  @Override
  public Findings look() {
    List<Task> known = cut;
    if (known == null) {
      return new Findings(List.of(), List.of(), List.of(), false);
    }
    if (known.isEmpty()) {
      return new Findings(List.of(), List.of(), List.of(), true);
    }
    List<String> facts = new ArrayList<>();
    Set<String> commands = new LinkedHashSet<>();
    boolean settled = true;
    boolean isAnyGivenUp = false;
    facts.add("Tasks that were being worked on: " + known.size() + ".");
    for (Task task : known) {
      Optional<TaskState> state = ledger.task(task.id()).map(Task::state);
      settled &= state.map(InterruptedTasks::isSettled).orElse(true);
      isAnyGivenUp |= state.filter(now -> now == TaskState.DEAD_LETTERED).isPresent();
      if (facts.size() <= SHOWN_MAX) {
        facts.add(sentence(task, state.map(InterruptedTasks::done).orElse("its record is gone")));
        commands.add("holdfast plans show " + task.planId());
      }
    }
    List<String> lookAt = new ArrayList<>();
    if (isAnyGivenUp) {
      lookAt.add("Decide about the tasks that became dead letters.");
      commands.add("holdfast dlq list --kind task");
    }
    return new Findings(facts, lookAt, List.copyOf(commands), settled);
  }

  private static String sentence(Task task, String done) {
    return "Attempt "
        + task.attempts()
        + " at task "
        + task.step().name()
        + " of plan "
        + task.planId()
        + " by agent "
        + task.agent()
        + " was cut off; "
        + done
        + ".";
  }

  private static String done(TaskState state) {
    return switch (state) {
      case QUEUED, RETRIED -> "it waits for its next attempt";
      case DISPATCHED, IN_PROGRESS -> "its next attempt runs";
      case AWAITING_INPUT -> "it waits for a person";
      case SUCCEEDED -> "a later attempt succeeded";
      case DEAD_LETTERED -> "it became a dead letter";
      case FAILED -> "it failed";
      case CANCELLED -> "it was cancelled";
    };
  }

  private static boolean isSettled(TaskState state) {
    return state.isTerminal() || state == TaskState.AWAITING_INPUT;
  }
}
