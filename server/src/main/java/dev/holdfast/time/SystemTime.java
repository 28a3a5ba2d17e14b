package dev.holdfast.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's own time. */
public final class SystemTime implements Time {
  private final ScheduledThreadPoolExecutor timers =
      new ScheduledThreadPoolExecutor(1, SystemTime::thread);

  public SystemTime() {
    timers.setRemoveOnCancelPolicy(true);
  }

  /** It outlives whoever sets the first timer, maybe a plugin, whose classes it must not keep. */
  private static Thread thread(Runnable work) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-timers")
            .inheritInheritableThreadLocals(false)
            .unstarted(work);
    thread.setContextClassLoader(SystemTime.class.getClassLoader());
    return thread;
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void sleep(Duration wait) throws InterruptedException {
    Thread.sleep(wait);
  }

  @Override
  public Timer after(Duration wait, Runnable task) {
    Future<?> timer =
        timers.schedule(
            () -> Thread.ofVirtual().name("timer").start(task),
            wait.toNanos(),
            TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }
}
