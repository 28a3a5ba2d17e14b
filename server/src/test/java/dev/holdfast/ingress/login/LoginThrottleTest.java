package dev.holdfast.ingress.login;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LoginThrottleTest {
  private final ManualTime time = new ManualTime();
  private final LoginThrottle throttle = new LoginThrottle(time);

  /** S23: ten thousand guesses take weeks. */
  @Test
  void waitsTwiceAsLongAfterEachFailureUpToFiveMinutes() {
    for (int i = 0; i < 9; i++) {
      assertThat(throttle.failed("10.0.0.1")).isFalse();
    }
    assertThat(throttle.wait("10.0.0.1")).isZero();
    assertThat(throttle.failed("10.0.0.1")).isTrue();
    assertThat(throttle.wait("10.0.0.1")).isEqualTo(Duration.ofSeconds(1));
    time.advance(Duration.ofSeconds(1));
    assertThat(throttle.wait("10.0.0.1")).isZero();
    throttle.failed("10.0.0.1");
    assertThat(throttle.wait("10.0.0.1")).isEqualTo(Duration.ofSeconds(2));
    for (int i = 0; i < 50; i++) {
      throttle.failed("10.0.0.1");
    }
    assertThat(throttle.wait("10.0.0.1")).isEqualTo(Duration.ofMinutes(5));
    assertThat(throttle.wait("10.0.0.2")).isZero();
  }

  @Test
  void forgetsAfterAQuarterOfAnHour() {
    for (int i = 0; i < 10; i++) {
      throttle.failed("10.0.0.1");
    }
    time.advance(Duration.ofMinutes(16));
    assertThat(throttle.failed("10.0.0.1")).isFalse();
  }

  @Test
  void oneHouseholdOfIpv6IsOneGuesser() {
    for (int i = 0; i < 10; i++) {
      throttle.failed("2001:db8:1:2:0:0:0:" + i);
    }
    assertThat(throttle.wait("2001:db8:1:2:ffff:0:0:1")).isPositive();
    assertThat(throttle.wait("2001:db8:1:3:0:0:0:1")).isZero();
  }

  @Test
  void remembersNoMoreThanSoManyAddresses() {
    for (int i = 0; i < 10; i++) {
      throttle.failed("10.0.0.1");
    }
    for (int i = 0; i < 10_000; i++) {
      throttle.failed("11." + i / 65_536 + "." + i / 256 % 256 + "." + i % 256);
    }
    assertThat(throttle.wait("10.0.0.1")).isZero();
  }
}
