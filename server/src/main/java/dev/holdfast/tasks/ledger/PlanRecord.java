package dev.holdfast.tasks.ledger;

import java.util.List;

/**
 * A plan with all that is kept of it, as of one moment.
 *
 * @param tasks in the order of the steps
 * @param moves oldest first
 */
public record PlanRecord(Plan plan, List<TaskRecord> tasks, List<PlanMove> moves) {}
