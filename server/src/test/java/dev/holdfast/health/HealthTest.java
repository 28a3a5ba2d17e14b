package dev.holdfast.health;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HealthTest {
  private final ManualTime time = new ManualTime();
  private final Ticks ticks = new Ticks(time);
  private final Health health = new Health(ticks, List.of("event-loop", "store-writer"));

  @Test
  void livesAsLongAsEveryPartTicks() {
    time.advance(ofSeconds(10));
    assertThat(health.live().status()).isEqualTo(200);
    ticks.tick("event-loop");
    time.advance(ofSeconds(1));
    Health.Answer answer = health.live();
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.body().encode())
        .isEqualTo(
            "{\"status\":\"DOWN\",\"checks\":["
                + "{\"id\":\"event-loop\",\"status\":\"UP\",\"data\":{\"ticked_millis_ago\":1000}},"
                + "{\"id\":\"store-writer\",\"status\":\"DOWN\",\"data\":{\"ticked_millis_ago\":11000}}],"
                + "\"outcome\":\"DOWN\"}");
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
  void aDegradedCheckIsToldAndTheServerStaysReady() {
    health.readyWhen("store", CheckState::ok);
    health.readyWhen("models", () -> CheckState.degraded("llm:test is unavailable"));
    Health.Answer answer = health.ready();
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body().encode())
        .isEqualTo(
            "{\"status\":\"UP\",\"checks\":["
                + "{\"id\":\"models\",\"status\":\"UP\",\"data\":{\"degraded\":\"llm:test is unavailable\"}},"
                + "{\"id\":\"store\",\"status\":\"UP\"}],\"outcome\":\"UP\"}");
  }

  @Test
  void oneCheckThatIsDownIsEnoughAndMayComeBack() {
    AtomicReference<CheckState> disk = new AtomicReference<>(CheckState.down("the disk is full"));
    health.readyWhen("store", disk::get);
    assertThat(health.ready().status()).isEqualTo(503);
    assertThat(health.ready().body().encode()).contains("the disk is full");
    disk.set(CheckState.ok());
    assertThat(health.ready().status()).isEqualTo(200);
  }

  @Test
  void aCheckThatThrowsIsDownAndKeepsItsSecret() {
    health.readyWhen(
        "store",
        () -> {
          throw new IllegalStateException("secret");
        });
    assertThat(health.ready().status()).isEqualTo(503);
    assertThat(health.ready().body().encode()).doesNotContain("secret");
  }

  @Test
  void healthAloneTellsWhatMattersToNoProbe() {
    health.readyWhen("helpers", CheckState::ok);
    health.tells("helpers", () -> CheckState.degraded("no backup is swept"));
    assertThat(health.ready().body().encode()).contains("helpers").doesNotContain("swept");
    assertThat(health.live().body().encode()).doesNotContain("helpers");
    assertThat(health.health().isUp()).isTrue();
    assertThat(health.health().body().encode()).containsOnlyOnce("helpers").contains("swept");
  }

  @Test
  void healthTellsBoth() {
    health.readyWhen("store", CheckState::ok);
    assertThat(health.health().body().getJsonArray("checks")).hasSize(3);
  }
}
