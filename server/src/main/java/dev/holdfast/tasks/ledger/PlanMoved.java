package dev.holdfast.tasks.ledger;

/**
 * A move that is committed.
 *
 * @param taskId empty for a move of the plan itself
 * @param to the name of the state
 */
public record PlanMoved(String planId, String threadId, String taskId, String step, String to) {}
