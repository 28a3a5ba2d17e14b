package dev.holdfast.tasks.rules;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * When a worker agent is left alone.
 *
 * @param failureThreshold failed tasks in a row that open its circuit
 * @param cooldown how long nothing is given to it then
 */
public record CircuitRules(int failureThreshold, Duration cooldown) {
  public static final CircuitRules DEFAULT = new CircuitRules(3, Duration.ofSeconds(60));

  public CircuitRules {
    Check.inRange("failure_threshold", failureThreshold, 1, 1000);
    Check.inRange("cooldown_ms", cooldown, Duration.ofMillis(1), Duration.ofDays(1));
  }

  /** The section {@code circuit_breaker} of an agent; what is absent is as in {@code base}. */
  public static CircuitRules from(Section circuit, CircuitRules base) {
    return new CircuitRules(
        circuit.whole("failure_threshold", base.failureThreshold),
        circuit.millis("cooldown_ms", base.cooldown.toMillis()));
  }
}
