package dev.holdfast.drills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.resilience.FaultPoint;
import dev.holdfast.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CallFaultTest {
  private final FaultPoint point = new FaultPoint();
  private final ManualTime time = new ManualTime();

  @Test
  void aRefusedCallNeverWentOut() throws Exception {
    Injection.Fault fault = CallFault.refused(point).begin("");
    assertThatThrownBy(() -> point.pass("webhook:ci"))
        .isInstanceOfSatisfying(
            CallFailedException.class,
            e -> {
              assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
              assertThat(e.failure().isUnsent()).isTrue();
            });
    fault.close();
    point.pass("webhook:ci");
    assertThat(fault.strikes()).isEqualTo(1);
  }

  @Test
  void onlyItsTargetIsHit() throws Exception {
    Injection.Fault fault = CallFault.crashed(point).begin("git");
    point.pass("notes");
    assertThatThrownBy(() -> point.pass("git")).hasMessageContaining("git crashed");
    assertThat(fault.strikes()).isEqualTo(1);
    fault.close();
  }

  @Test
  void aHangingCallEndsAtItsLimit() throws Exception {
    Injection.Fault fault = CallFault.hanging(point, Duration.ofSeconds(3), time).begin("");
    long begun = time.nanos();
    assertThatThrownBy(() -> point.pass("echo"))
        .isInstanceOfSatisfying(
            CallFailedException.class,
            e -> assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT));
    assertThat(Duration.ofNanos(time.nanos() - begun)).isEqualTo(Duration.ofSeconds(3));
    fault.close();
  }

  @Test
  void aHangingCallGoesOutAtTheEnd() throws Exception {
    Injection.Fault fault = CallFault.hanging(point, Duration.ofSeconds(60), time).begin("");
    time.after(Duration.ofSeconds(1), fault::close);
    point.pass("echo");
    assertThat(time.nanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
    assertThat(fault.strikes()).isEqualTo(1);
  }
}
