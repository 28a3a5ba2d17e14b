package dev.holdfast.tasks.workers;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import dev.holdfast.tasks.rules.AgentTuning;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.RetryRules;
import java.time.Duration;

/**
 * How a worker agent is dealt with.
 *
 * @param timeout of one attempt
 * @param maxConcurrent attempts that it makes at once
 * @param allowed what timeout and maxConcurrent may be changed to when it fails too often
 */
public record AgentSettings(
    Duration timeout,
    RetryRules retry,
    CircuitRules circuit,
    int maxConcurrent,
    AllowedSettings allowed) {
  public static final AgentSettings DEFAULT =
      new AgentSettings(
          Duration.ofSeconds(30),
          RetryRules.DEFAULT,
          CircuitRules.DEFAULT,
          4,
          AllowedSettings.NONE);

  public AgentSettings {
    checkTimeout("timeout_secs", timeout);
    checkMaxConcurrent("max_concurrent", maxConcurrent);
  }

  static void checkTimeout(String key, Duration timeout) {
    Check.inRange(key, timeout, Duration.ofSeconds(1), Duration.ofDays(1));
  }

  static void checkMaxConcurrent(String key, int maxConcurrent) {
    Check.inRange(key, maxConcurrent, 1, 64);
  }

  /** With what was chosen for it, as far as that is still allowed. */
  AgentSettings tuned(AgentTuning tuning) {
    Duration chosenTimeout = tuning.timeout();
    Integer chosenConcurrent = tuning.maxConcurrent();
    return new AgentSettings(
        chosenTimeout != null && allowed.timeouts().contains(chosenTimeout)
            ? chosenTimeout
            : timeout,
        retry,
        circuit,
        chosenConcurrent != null && allowed.maxConcurrents().contains(chosenConcurrent)
            ? chosenConcurrent
            : maxConcurrent,
        allowed);
  }

  /** The same with another time limit. */
  AgentSettings within(Duration limit) {
    return new AgentSettings(limit, retry, circuit, maxConcurrent, allowed);
  }

  /** The section of an agent; what is absent is as in {@code base}. */
  static AgentSettings from(Section agent, AgentSettings base) {
    return new AgentSettings(
        agent.seconds("timeout_secs", base.timeout.toSeconds()),
        RetryRules.from(agent.section("retry"), base.retry),
        CircuitRules.from(agent.section("circuit_breaker"), base.circuit),
        agent.whole("max_concurrent", base.maxConcurrent),
        AllowedSettings.from(agent.section("reconfigure"), base.allowed));
  }
}
