package dev.holdfast.tasks.ledger;

import dev.holdfast.tasks.rules.AgentRemedy;
import dev.holdfast.tasks.rules.AgentTuning;
import java.time.Instant;

/**
 * What was decided about an agent that failed too often.
 *
 * @param byModel whether a model decided; otherwise none could be asked
 * @param reason one sentence
 * @param tuning all that is chosen for the agent since, not by this decision alone
 * @param done whether it was acted on
 */
public record AgentReview(
    String agentId,
    Instant at,
    AgentRemedy remedy,
    boolean byModel,
    String reason,
    AgentTuning tuning,
    boolean done) {}
