package dev.holdfast.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The machine's time in a process that can be stopped for a while: the timers that come due
 * meanwhile all fire behind that, too late.
 */
public final class StandstillTime implements Time {
  private final SystemTime real = new SystemTime();
  private final AtomicLong stood = new AtomicLong();
  private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();

  private record Waiting(long dueNanos, Runnable task, Object identity) {}

  /** Returns when all that came due has been begun. */
  public void standStill(Duration by) {
    stood.addAndGet(by.toNanos());
    waiting.stream().filter(timer -> timer.dueNanos() - nanos() <= 0).forEach(this::fire);
  }

  private void fire(Waiting timer) {
    if (waiting.remove(timer)) {
      timer.task().run();
    }
  }

  @Override
  public Instant now() {
    return real.now().plusNanos(stood.get());
  }

  @Override
  public long nanos() {
    return real.nanos() + stood.get();
  }

  @Override
  public void sleep(Duration wait) throws InterruptedException {
    real.sleep(wait);
  }

  @Override
  public Timer after(Duration wait, Runnable task) {
    Waiting timer = new Waiting(nanos() + wait.toNanos(), task, new Object());
    waiting.add(timer);
    Timer inTime = real.after(wait, () -> fire(timer));
    return () -> {
      waiting.remove(timer);
      inTime.cancel();
    };
  }
}
