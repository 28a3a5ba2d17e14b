package dev.holdfast.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScaledTimeTest {
  private final ManualTime real = new ManualTime();

  private Time scaled(String... properties) {
    Properties all = new Properties();
    all.setProperty(ScaledTime.TESTING, "true");
    for (int i = 0; i < properties.length; i += 2) {
      all.setProperty(properties[i], properties[i + 1]);
    }
    return ScaledTime.from(all, real);
  }

  @Test
  void bothClocksRunAsManyTimesAsFast() {
    Time time = scaled(ScaledTime.SCALE, "10");
    Instant began = time.now();
    long beganNanos = time.nanos();
    real.advance(Duration.ofSeconds(3));
    assertThat(time.now()).isEqualTo(began.plusSeconds(30));
    assertThat(time.nanos() - beganNanos).isEqualTo(Duration.ofSeconds(30).toNanos());
  }

  @Test
  void aTimerIsDueAfterItsTimeByThisClock() {
    Time time = scaled(ScaledTime.SCALE, "10");
    AtomicInteger runs = new AtomicInteger();
    Time.Timer _ = time.after(Duration.ofSeconds(30), runs::incrementAndGet);
    real.advance(Duration.ofMillis(2_999));
    assertThat(runs).hasValue(0);
    real.advance(Duration.ofMillis(1));
    assertThat(runs).hasValue(1);
  }

  @Test
  void aServerThatIsStartedAgainGoesOnWhereItsClockWas() {
    String since = Long.toString(real.now().toEpochMilli());
    Time first = scaled(ScaledTime.SCALE, "10", ScaledTime.SINCE, since);
    real.advance(Duration.ofSeconds(3));
    Time second = scaled(ScaledTime.SCALE, "10", ScaledTime.SINCE, since);
    assertThat(second.now()).isEqualTo(first.now());
  }

  @Test
  void withoutAPropertyItIsTheSystemsTime() {
    assertThat(ScaledTime.from(new Properties(), real)).isSameAs(real);
  }

  @Test
  void itIsRefusedWithoutTheSwitchOfTests() {
    Properties alone = new Properties();
    alone.setProperty(ScaledTime.SCALE, "10");
    assertThatThrownBy(() -> ScaledTime.from(alone, real))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "-Dholdfast.time_scale and -Dholdfast.time_since are for tests of Holdfast alone:"
                + " remove them");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "101", "ten", "1.5", "", "99999999999999999999"})
  void aScaleThatIsNoneIsRefusedByName(String scale) {
    assertThatThrownBy(() -> scaled(ScaledTime.SCALE, scale))
        .hasMessage("-Dholdfast.time_scale must be a whole number from 1 to 100, got %s", scale);
  }
}
