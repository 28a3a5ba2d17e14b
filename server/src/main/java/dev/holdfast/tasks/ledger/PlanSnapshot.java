package dev.holdfast.tasks.ledger;

import java.util.List;

/**
 * A plan with all that is kept of it, as of one moment.
 *
 * @param tasks in the order of the steps
 * @param moves oldest first
 */
public record PlanSnapshot(Plan plan, List<TaskSnapshot> tasks, List<PlanMove> moves) {}
