package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.modes.DownPart;
import dev.holdfast.supervision.ChildSpec;
import dev.holdfast.supervision.Criticality;
import dev.holdfast.supervision.FakeCrashListener;
import dev.holdfast.supervision.SupervisedThread;
import dev.holdfast.supervision.SupervisionConfig;
import dev.holdfast.supervision.Supervisor;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ServerPartsTest {
  private static final Duration LAST = Duration.ofSeconds(10);

  private final ManualTime time = new ManualTime();
  private final Supervisor supervisor =
      new Supervisor(
          SupervisionConfig.DEFAULT, time, new SimpleMeterRegistry(), new FakeCrashListener());

  /** Crashes so often, then runs on. */
  private SupervisedThread crashing(String kind, int crashes) throws InterruptedException {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch lasting = new CountDownLatch(1);
    SupervisedThread child =
        supervisor.start(
            ChildSpec.virtual(kind).as(Criticality.IMPORTANT),
            () -> {
              if (runs.incrementAndGet() <= crashes) {
                throw new IllegalStateException("a bug");
              }
              lasting.countDown();
              new CountDownLatch(1).await();
            });
    lasting.await();
    return child;
  }

  @Test
  void whatGivesOutTasksIsDownOnceItCrashedTooOftenUntilItLasts() throws Exception {
    SupervisedThread tasks = crashing(DownPart.TASKS, 6);
    assertThat(ServerParts.down(supervisor)).containsExactly(DownPart.TASKS);
    time.advance(Duration.ofSeconds(60));
    assertThat(ServerParts.down(supervisor)).isEmpty();
    assertThat(tasks.isAiling()).isFalse();
    assertThat(supervisor.stopAll(LAST)).isEmpty();
  }

  @Test
  void aFewCrashesAndThoseOfOtherPartsAreNoReasonForAnotherMode() throws Exception {
    SupervisedThread tasks = crashing(DownPart.TASKS, 5);
    SupervisedThread wakeups = crashing("wakeups", 6);
    assertThat(tasks.isAiling()).isFalse();
    assertThat(wakeups.isAiling()).isTrue();
    assertThat(ServerParts.down(supervisor)).isEmpty();
    assertThat(supervisor.stopAll(LAST)).isEmpty();
  }
}
