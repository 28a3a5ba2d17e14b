package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.MemoryBudget;
import dev.holdfast.agents.turn.Budgets;
import dev.holdfast.agents.turn.TurnMemory;
import dev.holdfast.agents.turn.TurnPermits;

/**
 * What all turns of this process share, so that together they stay within it.
 *
 * @param permits one for each turn that may run at the same time
 * @param freshness which turns come first when they wait for a permit
 * @param memory what all turns may hold
 * @param mailboxes what all mailboxes may hold
 * @param budgets what all turns may cost
 */
public record TurnLimits(
    TurnPermits permits,
    Freshness freshness,
    TurnMemory memory,
    MemoryBudget mailboxes,
    Budgets budgets) {}
