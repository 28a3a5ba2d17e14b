package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.channels.Channels;
import dev.holdfast.replies.OptionalCalls.Ending;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OptionalCallsTest {
  private static final String FAILURES = "holdfast.test.failures";
  private static final int AT_ONCE = 64;

  private final ManualTime time = new ManualTime();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Channels channels = new Channels(List.of());
  private final FakePostGuard guard = new FakePostGuard();
  private final OptionalCalls calls =
      new OptionalCalls(channels, _ -> guard, FAILURES, time, meters);

  @BeforeEach
  void add() throws Exception {
    channels.add(new FakeAccount("main"), time.now());
  }

  private Ending failing(Exception why) {
    return calls.make(
        "fake",
        "main",
        _ -> {
          throw why;
        });
  }

  @Test
  void aCallEndsAsItsChannelSays() {
    assertThat(calls.make("fake", "main", ChannelAdapter::channel)).isEqualTo(Ending.DONE);
    Failure passing = Failure.of(FailureCode.RATE_LIMITED, "slow");
    Failure lasting = Failure.of(FailureCode.INVALID_REQUEST, "no").as(FailureKind.PERMANENT);
    assertThat(failing(new CallFailedException(passing))).isEqualTo(Ending.FAILED);
    assertThat(failing(new CallFailedException(lasting))).isEqualTo(Ending.REFUSED);
    assertThat(failing(new IllegalStateException("a bug"))).isEqualTo(Ending.FAILED);
    assertThat(meters.get(FAILURES).counter().count()).isEqualTo(3);
    assertThat(time.timers()).isZero();
  }

  @Test
  void whatIsNotThereOrHasAnOpenBreakerIsNotCalled() {
    AtomicInteger made = new AtomicInteger();
    assertThat(calls.make("other", "main", _ -> made.incrementAndGet())).isEqualTo(Ending.CLOSED);
    assertThat(calls.make("fake", "other", _ -> made.incrementAndGet())).isEqualTo(Ending.CLOSED);
    guard.opensIn(Duration.ofMillis(1));
    assertThat(calls.make("fake", "main", _ -> made.incrementAndGet())).isEqualTo(Ending.CLOSED);
    assertThat(made).hasValue(0);
  }

  @Test
  void sixtyFourRunAtOnceAndEachIsInterruptedAfterFiveSeconds() {
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    AtomicReference<Ending> last = new AtomicReference<>();
    for (int i = 0; i < AT_ONCE; i++) {
      Thread.ofVirtual()
          .start(
              () -> {
                last.set(
                    calls.make(
                        "fake",
                        "main",
                        _ -> {
                          running.incrementAndGet();
                          never.await();
                        }));
                ended.incrementAndGet();
              });
    }
    TimedWait.until("all run", () -> running.get() == AT_ONCE);
    assertThat(calls.make("fake", "main", _ -> {})).isEqualTo(Ending.CROWDED);
    time.advance(OptionalCalls.CALL_MAX.minusMillis(1));
    assertThat(ended).hasValue(0);
    time.advance(Duration.ofMillis(1));
    TimedWait.until("all are ended", () -> ended.get() == AT_ONCE);
    assertThat(last.get()).isEqualTo(Ending.FAILED);
    assertThat(calls.make("fake", "main", _ -> {})).isEqualTo(Ending.DONE);
  }
}
