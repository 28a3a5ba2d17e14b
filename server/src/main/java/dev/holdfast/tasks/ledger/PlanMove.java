package dev.holdfast.tasks.ledger;

import java.time.Instant;

/**
 * One move of a plan or of one of its tasks.
 *
 * @param taskId empty for a move of the plan itself
 * @param from empty for the first one
 */
public record PlanMove(Instant at, String taskId, String from, String to, String reason) {}
