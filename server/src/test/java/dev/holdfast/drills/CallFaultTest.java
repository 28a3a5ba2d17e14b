package dev.holdfast.drills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.resilience.FaultPoint;
import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallFaultTest {
  private static final CallFault.Targets ACCOUNTS =
      new CallFault.Targets("account", () -> List.of("matrix:bot", "webhook:ci"));
  private static final CallFault.Targets AGENTS =
      new CallFault.Targets("worker agent", () -> List.of("git"));

  private final FaultPoint point = new FaultPoint();
  private final ManualTime time = new ManualTime();

  @Test
  void aRefusedCallNeverWentOut() throws Exception {
    Injection.Fault fault = CallFault.refused(point, ACCOUNTS).begin("");
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
    Injection.Fault fault = CallFault.crashed(point, AGENTS).begin("git");
    point.pass("notes");
    assertThatThrownBy(() -> point.pass("git")).hasMessageContaining("git crashed");
    assertThat(fault.strikes()).isEqualTo(1);
    fault.close();
  }

  @Test
  void aTargetThatIsNotThereIsRefusedWithThoseThatAre() throws Exception {
    assertThatThrownBy(() -> CallFault.refused(point, ACCOUNTS).begin("webhook:nope"))
        .isInstanceOf(DrillRefusedException.class)
        .hasMessage("there is no account webhook:nope; there are: matrix:bot, webhook:ci");
    CallFault.Targets none = new CallFault.Targets("worker agent", List::of);
    assertThatThrownBy(() -> CallFault.crashed(point, none).begin("git"))
        .isInstanceOf(DrillRefusedException.class)
        .hasMessage("there is no worker agent git; there is none");
    point.pass("webhook:ci");
    point.pass("git");
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
