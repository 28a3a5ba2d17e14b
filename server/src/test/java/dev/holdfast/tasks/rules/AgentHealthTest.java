package dev.holdfast.tasks.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tasks.rules.AgentHealth.Admission;
import java.time.Duration;
import java.time.Instant;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class AgentHealthTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final CircuitRules RULES = CircuitRules.DEFAULT;
  private static final AgentHealth NEW = AgentHealth.unknown("writer");

  private static AgentHealth failed(int times) {
    AgentHealth health = NEW;
    for (int i = 0; i < times; i++) {
      health = health.failed(NOW, RULES);
    }
    return health;
  }

  @Test
  void anAgentOfWhichNothingIsKnownIsHealthy() {
    assertThat(NEW.state()).isEqualTo(HealthState.HEALTHY);
    assertThat(NEW.admission(NOW)).isEqualTo(Admission.OPEN);
    assertThat(NEW.refusedUntil(NOW)).isEmpty();
  }

  @Test
  void failuresBelowTheThresholdDegrade() {
    for (int failures : new int[] {1, 2}) {
      AgentHealth health = failed(failures);
      assertThat(health.state()).isEqualTo(HealthState.DEGRADED);
      assertThat(health.consecutiveFailures()).isEqualTo(failures);
      assertThat(health.lastFailureAt()).isEqualTo(NOW);
      assertThat(health.admission(NOW)).isEqualTo(Admission.OPEN);
    }
  }

  @Test
  void theThirdFailureOpensTheCircuitForSixtySeconds() {
    AgentHealth open = failed(3);
    assertThat(open.state()).isEqualTo(HealthState.UNHEALTHY);
    assertThat(open.circuitOpenUntil()).isEqualTo(NOW.plusSeconds(60));
    assertThat(open.admission(NOW)).isEqualTo(Admission.REFUSED);
    assertThat(open.refusedUntil(NOW)).contains(NOW.plusSeconds(60));
    assertThat(open.admission(NOW.plusMillis(59_999))).isEqualTo(Admission.REFUSED);
    assertThat(open.admission(NOW.plusSeconds(60))).isEqualTo(Admission.ON_TRIAL);
    assertThat(open.refusedUntil(NOW.plusSeconds(60))).isEmpty();
  }

  @Test
  void aTrialThatSucceedsClosesTheCircuit() {
    Instant later = NOW.plusSeconds(61);
    AgentHealth closed = failed(3).succeeded(later);
    assertThat(closed)
        .isEqualTo(new AgentHealth("writer", HealthState.HEALTHY, 0, NOW, later, null));
    assertThat(closed.admission(later)).isEqualTo(Admission.OPEN);
    assertThat(closed.failed(later, RULES).state()).isEqualTo(HealthState.DEGRADED);
  }

  @Test
  void aTrialThatFailsOpensTheCircuitAnew() {
    Instant later = NOW.plusSeconds(90);
    AgentHealth open = failed(3).failed(later, RULES);
    assertThat(open.state()).isEqualTo(HealthState.UNHEALTHY);
    assertThat(open.consecutiveFailures()).isEqualTo(4);
    assertThat(open.refusedUntil(later)).contains(later.plusSeconds(60));
  }

  @Test
  void aResetKeepsWhatHasHappened() {
    AgentHealth reset =
        NEW.succeeded(NOW.minusSeconds(9))
            .failed(NOW, new CircuitRules(1, Duration.ofDays(1)))
            .reset();
    assertThat(reset)
        .isEqualTo(
            new AgentHealth("writer", HealthState.HEALTHY, 0, NOW, NOW.minusSeconds(9), null));
    assertThat(reset.admission(NOW)).isEqualTo(Admission.OPEN);
  }

  @Property
  void theThresholdDecidesWhateverItIs(
      @ForAll @IntRange(min = 1, max = 1000) int threshold,
      @ForAll @IntRange(min = 1, max = 1200) int failures) {
    CircuitRules rules = new CircuitRules(threshold, Duration.ofMillis(1));
    AgentHealth before = new AgentHealth("a", HealthState.DEGRADED, failures - 1, null, null, null);
    AgentHealth health = before.failed(NOW, rules);
    assertThat(health.state() == HealthState.UNHEALTHY).isEqualTo(failures >= threshold);
    assertThat(health.admission(NOW) == Admission.REFUSED).isEqualTo(failures >= threshold);
  }

  @Test
  void theCountOfFailuresHasAnEnd() {
    AgentHealth most =
        new AgentHealth("a", HealthState.UNHEALTHY, Integer.MAX_VALUE, NOW, null, NOW);
    assertThat(most.failed(NOW, RULES).consecutiveFailures()).isEqualTo(Integer.MAX_VALUE);
  }
}
