package dev.holdfast.tasks.workers;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.RetryRules;
import java.time.Duration;

/**
 * How a worker agent is dealt with.
 *
 * @param timeout of one attempt
 * @param maxConcurrent attempts that it makes at once
 */
public record AgentSettings(
    Duration timeout, RetryRules retry, CircuitRules circuit, int maxConcurrent) {
  public static final AgentSettings DEFAULT =
      new AgentSettings(Duration.ofSeconds(30), RetryRules.DEFAULT, CircuitRules.DEFAULT, 4);

  public AgentSettings {
    Check.inRange("timeout_secs", timeout, Duration.ofSeconds(1), Duration.ofDays(1));
    Check.inRange("max_concurrent", maxConcurrent, 1, 64);
  }

  /** The same with another time limit. */
  AgentSettings within(Duration limit) {
    return new AgentSettings(limit, retry, circuit, maxConcurrent);
  }

  /** The section of an agent; what is absent is as in {@code base}. */
  static AgentSettings from(Section agent, AgentSettings base) {
    return new AgentSettings(
        agent.seconds("timeout_secs", base.timeout.toSeconds()),
        RetryRules.from(agent.section("retry"), base.retry),
        CircuitRules.from(agent.section("circuit_breaker"), base.circuit),
        agent.whole("max_concurrent", base.maxConcurrent));
  }
}
