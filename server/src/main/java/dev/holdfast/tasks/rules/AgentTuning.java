package dev.holdfast.tasks.rules;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an agent that were chosen in place of the configured ones.
 *
 * @param timeout null for the configured one
 * @param maxConcurrent null for the configured one
 */
public record AgentTuning(@Nullable Duration timeout, @Nullable Integer maxConcurrent) {
  public static final AgentTuning NONE = new AgentTuning(null, null);

  public boolean isNone() {
    return equals(NONE);
  }

  /** This, with what a later one chose anew. */
  public AgentTuning and(AgentTuning later) {
    return new AgentTuning(
        later.timeout == null ? timeout : later.timeout,
        later.maxConcurrent == null ? maxConcurrent : later.maxConcurrent);
  }
}
