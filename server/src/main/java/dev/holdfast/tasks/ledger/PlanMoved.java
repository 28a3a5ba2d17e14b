package dev.holdfast.tasks.ledger;

/**
 * A move of a plan or a task.
 *
 * @param taskId empty for a move of the plan itself
 * @param agent who has the task, as far as that is decided; empty for a move of the plan itself
 * @param to the name of the state
 */
public record PlanMoved(
    String planId, String threadId, String taskId, String step, String agent, String to) {}
