package dev.holdfast.tasks.ledger;

import dev.holdfast.tasks.rules.PlanState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A plan as it is stored.
 *
 * @param reason why it is in its state, in a sentence; may be empty
 * @param endedAt null while it goes on
 * @param replans how often what failed was replaced by new steps
 * @param reviewing whether its steps have ended, and a model is asked what that means for the goal
 * @param retryOf the plan whose failed steps it tries again; empty for any other
 * @param supervised whether a person is asked before each unsafe action: a model wrote the steps
 * @param told whether its end was told, to the chat thread or to a call that waited for it
 */
public record Plan(
    long number,
    String id,
    String key,
    String goal,
    int priority,
    PlanOrigin origin,
    PlanState state,
    String reason,
    Instant madeAt,
    @Nullable Instant endedAt,
    boolean told,
    int replans,
    boolean reviewing,
    String retryOf,
    boolean supervised) {}
