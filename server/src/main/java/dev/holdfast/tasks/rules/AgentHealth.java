package dev.holdfast.tasks.rules;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The health of one worker agent. An agent of which nothing is known is healthy.
 *
 * @param consecutiveFailures tasks that it has failed since it last did one
 * @param circuitOpenUntil until when nothing is given to it; from then on one task at a time tries
 *     it, until one succeeds; null when its circuit is closed
 */
public record AgentHealth(
    String agentId,
    HealthState state,
    int consecutiveFailures,
    @Nullable Instant lastFailureAt,
    @Nullable Instant lastSuccessAt,
    @Nullable Instant circuitOpenUntil) {

  /** Whether a task may be given to an agent. */
  public enum Admission {
    OPEN,

    /** One task at a time, to see whether it works again. */
    ON_TRIAL,

    REFUSED
  }

  public static AgentHealth unknown(String agentId) {
    return new AgentHealth(agentId, HealthState.HEALTHY, 0, null, null, null);
  }

  /** After a task that it did. */
  public AgentHealth succeeded(Instant now) {
    return new AgentHealth(agentId, HealthState.HEALTHY, 0, lastFailureAt, now, null);
  }

  /** After a task that it failed for good; what the caller did wrong is no failure of an agent. */
  public AgentHealth failed(Instant now, CircuitRules rules) {
    int failures = Math.min(consecutiveFailures, Integer.MAX_VALUE - 1) + 1;
    boolean opens = failures >= rules.failureThreshold();
    return new AgentHealth(
        agentId,
        opens ? HealthState.UNHEALTHY : HealthState.DEGRADED,
        failures,
        now,
        lastSuccessAt,
        opens ? now.plus(rules.cooldown()) : null);
  }

  /** As an operator wants it: what happened stays known, and counts no more. */
  public AgentHealth reset() {
    return new AgentHealth(agentId, HealthState.HEALTHY, 0, lastFailureAt, lastSuccessAt, null);
  }

  public Admission admission(Instant now) {
    if (circuitOpenUntil == null) {
      return Admission.OPEN;
    }
    return circuitOpenUntil.isAfter(now) ? Admission.REFUSED : Admission.ON_TRIAL;
  }

  /** Until when nothing is given to it; empty when something is. */
  public Optional<Instant> refusedUntil(Instant now) {
    return admission(now) == Admission.REFUSED
        ? Optional.ofNullable(circuitOpenUntil)
        : Optional.empty();
  }
}
