package dev.holdfast.resilience;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class BulkheadTest {
  private final ManualTime time = new ManualTime();

  @Test
  void refusesAtOnceWhenNobodyMayWait() throws Exception {
    Bulkhead bulkhead = new Bulkhead("b", 2, Duration.ZERO, time);
    bulkhead.enter(Deadline.in(time, ofMinutes(1)));
    bulkhead.enter(Deadline.in(time, ofMinutes(1)));
    assertThatThrownBy(() -> bulkhead.enter(Deadline.in(time, ofMinutes(1))))
        .isInstanceOf(CallFailedException.class)
        .hasMessageContaining("BULKHEAD_FULL");
    bulkhead.leave();
    bulkhead.enter(Deadline.in(time, ofMinutes(1)));
  }

  @Test
  void givesUpAfterItsWait() throws Exception {
    Bulkhead bulkhead = new Bulkhead("b", 1, ofSeconds(5), time);
    bulkhead.enter(Deadline.in(time, ofMinutes(1)));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> waiting =
          threads.submit(
              () -> {
                bulkhead.enter(Deadline.in(time, ofMinutes(1)));
                return "";
              });
      while (!waiting.isDone()) {
        time.advance(ofSeconds(5)); // until it stands in line and its timer is set
        Thread.onSpinWait();
      }
      assertThatThrownBy(waiting::get).hasRootCauseInstanceOf(CallFailedException.class);
    }
    bulkhead.leave();
    assertThat(bulkhead.taken()).isZero();
  }

  @Test
  void neverLetsTooManyInNorLosesAPlaceHoweverCallsEnd() throws Exception {
    SystemTime clock = new SystemTime();
    Bulkhead bulkhead = new Bulkhead("b", 4, ofSeconds(10), clock);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger insideMax = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 2000; i++) {
        Future<?> call =
            threads.submit(
                () -> {
                  bulkhead.enter(Deadline.in(clock, ofSeconds(10)));
                  try {
                    insideMax.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    LockSupport.parkNanos(1);
                  } finally {
                    inside.decrementAndGet();
                    bulkhead.leave();
                  }
                  return "";
                });
        if (ThreadLocalRandom.current().nextInt(3) == 0) {
          call.cancel(true);
        }
      }
    }
    assertThat(insideMax.get()).isBetween(1, 4);
    assertThat(bulkhead.taken()).isZero();
  }

  /** Whoever gave up never had a place to give back. */
  @Test
  void anInterruptInTheMomentOfGivingUpFreesNoPlace() throws Exception {
    for (int i = 0; i < 3000; i++) {
      TimerInHand hand = new TimerInHand();
      Bulkhead bulkhead = new Bulkhead("b", 1, ofSeconds(5), hand);
      bulkhead.enter(Deadline.in(hand, ofMinutes(1)));
      Thread waiting =
          Thread.ofPlatform()
              .start(
                  () ->
                      assertThatThrownBy(() -> bulkhead.enter(Deadline.in(hand, ofMinutes(1))))
                          .isInstanceOfAny(CallFailedException.class, InterruptedException.class));
      while (waiting.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      Thread timer = Thread.ofPlatform().start(hand.task);
      waiting.interrupt();
      timer.join();
      waiting.join();
      assertThat(bulkhead.taken()).isEqualTo(1);
    }
  }

  private static final class TimerInHand implements Time {
    private volatile Runnable task = () -> {};

    @Override
    public Instant now() {
      return Instant.EPOCH;
    }

    @Override
    public long nanos() {
      return 0;
    }

    @Override
    public void sleep(Duration wait) {}

    @Override
    public Timer after(Duration wait, Runnable then) {
      task = then;
      return () -> {};
    }
  }
}
