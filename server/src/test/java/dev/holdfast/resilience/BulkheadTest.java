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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class BulkheadTest {
  private final ManualTime time = new ManualTime();

  @Test
  void refusesAtOnceWhenNobodyMayWait() throws Exception {
    Bulkhead bulkhead = new Bulkhead("b", 2, Duration.ZERO, time);
    bulkhead.enter(Deadline.in(time, ofMinutes(1)), FlowKey.NONE);
    bulkhead.enter(Deadline.in(time, ofMinutes(1)), FlowKey.NONE);
    assertThatThrownBy(() -> bulkhead.enter(Deadline.in(time, ofMinutes(1)), FlowKey.NONE))
        .isInstanceOf(CallFailedException.class)
        .hasMessageContaining("BULKHEAD_FULL");
    bulkhead.leave();
    bulkhead.enter(Deadline.in(time, ofMinutes(1)), FlowKey.NONE);
  }

  @Test
  void givesUpAfterItsWait() throws Exception {
    Bulkhead bulkhead = new Bulkhead("b", 1, ofSeconds(5), time);
    bulkhead.enter(Deadline.in(time, ofMinutes(1)), FlowKey.NONE);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> waiting =
          threads.submit(
              () -> {
                bulkhead.enter(Deadline.in(time, ofMinutes(1)), FlowKey.NONE);
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
    SystemTime clock = new SystemTime(); // calls wait for each other
    Bulkhead bulkhead = new Bulkhead("b", 4, ofSeconds(10), clock);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger insideMax = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 2000; i++) {
        Future<?> call =
            threads.submit(
                () -> {
                  bulkhead.enter(Deadline.in(clock, ofSeconds(10)), FlowKey.NONE);
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

  @Test
  void thoseWhoWaitAreServedInTurns() throws Exception {
    Bulkhead bulkhead = new Bulkhead("b", 1, ofMinutes(1), time);
    bulkhead.enter(Deadline.in(time, ofMinutes(1)), FlowKey.NONE);
    BlockingQueue<String> served = new LinkedBlockingQueue<>();
    List<Future<Boolean>> calls = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (String name : List.of("loud", "loud", "loud", "quiet")) {
        int before = bulkhead.waiting();
        calls.add(
            threads.submit(
                () -> {
                  bulkhead.enter(Deadline.in(time, ofMinutes(1)), new FlowKey(List.of(name)));
                  return served.add(name);
                }));
        while (bulkhead.waiting() == before) {
          Thread.onSpinWait();
        }
      }
      List<String> order = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        bulkhead.leave();
        order.add(served.poll(20, TimeUnit.SECONDS));
      }
      assertThat(order).containsExactly("loud", "quiet", "loud", "loud");
      assertThat(calls).allMatch(call -> call.state() != Future.State.FAILED);
    }
  }

  /** Whoever gave up never had a place to give back. */
  @Test
  void anInterruptInTheMomentOfGivingUpFreesNoPlace() throws Exception {
    for (int i = 0; i < 1000; i++) {
      TimerInHand hand = new TimerInHand();
      Bulkhead bulkhead = new Bulkhead("b", 1, ofSeconds(5), hand);
      bulkhead.enter(Deadline.in(hand, ofMinutes(1)), FlowKey.NONE);
      Thread waiting =
          Thread.ofPlatform()
              .start(
                  () ->
                      assertThatThrownBy(
                              () -> bulkhead.enter(Deadline.in(hand, ofMinutes(1)), FlowKey.NONE))
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
