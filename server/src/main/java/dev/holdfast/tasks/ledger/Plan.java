package dev.holdfast.tasks.ledger;

import dev.holdfast.tasks.rules.PlanState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A plan as it is stored.
 *
 * @param reason why it is in its state, in a sentence; may be empty
 * @param endedAt null while it goes on
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
    boolean told) {}
