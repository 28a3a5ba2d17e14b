package dev.holdfast.health;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthTest {
  private final ManualTime time = new ManualTime();
  private final Ticks ticks = new Ticks(time);
  private final Conditions conditions = new Conditions(time, new SimpleMeterRegistry());
  private final Health health =
      new Health(ticks, List.of("event-loop", "store-writer"), conditions);

  private void add(String family, ProbeEffect effect, ConditionReport... said) {
    conditions.add(family, effect, () -> List.of(said));
    conditions.look();
  }

  private static ConditionReport failed(String message) {
    return ConditionReport.failed("broken", message, "Ends.");
  }

  @Test
  void livesAsLongAsEveryPartTicks() {
    time.advance(ofSeconds(10));
    assertThat(health.live().status()).isEqualTo(200);
    ticks.tick("event-loop");
    time.advance(ofSeconds(1));
    Health.Answer answer = health.live(); // nobody has looked since: it is measured now
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.body().encode())
        .isEqualTo(
            "{\"status\":\"DOWN\",\"checks\":["
                + "{\"id\":\"event-loop\",\"status\":\"UP\",\"data\":{\"ticked_millis_ago\":1000}},"
                + "{\"id\":\"store-writer\",\"status\":\"DOWN\",\"data\":{\"ticked_millis_ago\":11000}}],"
                + "\"outcome\":\"DOWN\"}");
    conditions.look();
    assertThat(conditions.current())
        .extracting(Condition::type)
        .containsExactly("progress/store-writer");
    ticks.tick("store-writer");
    assertThat(health.live().isUp()).isTrue();
  }

  @Test
  void aPartThatNobodyExpectsDoesNotCount() {
    ticks.tick("other");
    time.advance(ofSeconds(9));
    assertThat(health.live().body().encode()).doesNotContain("other");
  }

  @Test
  void aDegradedConditionIsToldWholeAndTheServerStaysReady() {
    add("store", ProbeEffect.READINESS);
    add(
        "breaker",
        ProbeEffect.NONE,
        ConditionReport.degraded("open", "No call goes to llm:test.", "Ends.")
            .about("llm:test")
            .withNextAttemptAt(time.now().plusSeconds(10)));
    Health.Answer answer = health.ready();
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body().encode())
        .isEqualTo(
            "{\"status\":\"UP\",\"checks\":["
                + "{\"id\":\"breaker\",\"status\":\"UP\",\"data\":{\"conditions\":[{"
                + "\"type\":\"breaker/llm:test\",\"status\":\"degraded\",\"reason\":\"open\","
                + "\"message\":\"No call goes to llm:test.\",\"since\":\"2026-01-01T00:00:00Z\","
                + "\"next_attempt_at\":\"2026-01-01T00:00:10Z\",\"exit_rule\":\"Ends.\"}]}},"
                + "{\"id\":\"store\",\"status\":\"UP\"}],\"outcome\":\"UP\"}");
  }

  @Test
  void aFailureCountsForTheProbeOfItsSourceAndForHealth() {
    add("extension", ProbeEffect.NONE, failed("it does not start"));
    assertThat(health.ready().status()).isEqualTo(200);
    assertThat(health.live().status()).isEqualTo(200);
    assertThat(health.health().status()).isEqualTo(200);
    add("turns", ProbeEffect.LIVENESS, failed("too many hang"));
    assertThat(health.ready().status()).isEqualTo(200);
    assertThat(health.live().status()).isEqualTo(503);
    assertThat(health.health().status()).isEqualTo(503);
    assertThat(health.stuck(ofSeconds(10))).containsExactly("turns");
  }

  @Test
  void oneFailureIsEnoughAndMayEnd() {
    List<ConditionReport> disk = new ArrayList<>(List.of(failed("the disk is full")));
    conditions.add("disk", ProbeEffect.READINESS, () -> disk);
    conditions.look();
    assertThat(health.ready().status()).isEqualTo(503);
    assertThat(health.ready().body().encode()).contains("the disk is full");
    assertThat(health.live().status()).isEqualTo(200);
    disk.clear();
    conditions.look();
    assertThat(health.ready().status()).isEqualTo(200);
  }

  @Test
  void aCheckThatThrowsIsDownAndKeepsItsSecret() {
    conditions.add(
        "store",
        ProbeEffect.READINESS,
        () -> {
          throw new IllegalStateException("secret");
        });
    conditions.look();
    assertThat(health.ready().status()).isEqualTo(503);
    assertThat(health.ready().body().encode())
        .contains("IllegalStateException")
        .doesNotContain("secret");
  }

  @Test
  void healthTellsAll() {
    add("store", ProbeEffect.READINESS);
    add("breaker", ProbeEffect.NONE);
    assertThat(health.health().body().getJsonArray("checks")).hasSize(4);
  }
}
