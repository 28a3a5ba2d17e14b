package dev.holdfast.tasks.ledger;

import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.StepOutcome;
import dev.holdfast.tasks.rules.TaskState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task as it is stored.
 *
 * @param position of its step in the plan, from 0
 * @param step as it was asked for
 * @param agent who has it now; another one than the step's after a reassignment
 * @param reason why it is in its state, in a sentence; may be empty
 * @param attempts over all agents
 * @param attemptsOfAgent of the agent that has it now
 * @param reassigns how often another agent was chosen
 * @param tried the agents that had it before
 * @param dueAt not given out before
 * @param epoch of its newest lease; a result of an older one is refused
 * @param repeatable whether its newest attempt may be made again although it may have been done
 * @param leaseUntil when the lease ends unless it is renewed; null without a lease
 * @param output what the agent answered; empty before it succeeded
 * @param code of the last failure; empty when none was
 * @param asks how often its agent has asked a person; such an attempt has not failed
 * @param checkable whether its agent can say what has become of an attempt that was cut off
 * @param doubtful whether it has to say so before anything else is done
 * @param level of the models of an agent that has some; empty for the agent's own
 * @param round after how many replans the step was added
 */
public record Task(
    String id,
    String planId,
    int position,
    Step step,
    String agent,
    TaskState state,
    String reason,
    int attempts,
    int attemptsOfAgent,
    int reassigns,
    List<String> tried,
    Instant dueAt,
    long epoch,
    boolean repeatable,
    @Nullable Instant leaseUntil,
    String output,
    String code,
    Instant madeAt,
    @Nullable Instant endedAt,
    int asks,
    boolean checkable,
    boolean doubtful,
    String level,
    int round) {
  public Task {
    tried = List.copyOf(tried);
  }

  public StepOutcome outcome() {
    return new StepOutcome(step.name(), state, step.needs());
  }

  /** Whether it is being worked on: computed from its lease, never from a stored word alone. */
  public boolean isRunning(Instant now) {
    return state.isLeased() && leaseUntil != null && leaseUntil.isAfter(now);
  }

  /** The right to end its current attempt. */
  public Lease lease() {
    return new Lease(id, epoch);
  }

  /** What a worker holds while it works on a task. */
  public record Lease(String taskId, long epoch) {}
}
