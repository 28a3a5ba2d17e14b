package dev.holdfast.store.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the store at regular times, on a thread of its own. One of them never waits for the
 * writer, so that a disk that hangs is noticed.
 */
public final class StoreWatch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreWatch.class);

  private final Duration period;
  private final IntConsumer look;
  private final FailStop failStop;
  private final Semaphore stop = new Semaphore(0);
  private final Thread thread;

  /** {@code look} is told the how-manieth it is, from 1. */
  public StoreWatch(String name, Duration period, IntConsumer look, FailStop failStop) {
    this.period = period;
    this.look = look;
    this.failStop = failStop;
    this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this);
  }

  public void start() {
    thread.start();
  }

  /** Blocks until the look of now is over. */
  public void stop() {
    stop.release();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** For a long look, on the thread of the watch. False when it is to end now. */
  public boolean rest(Duration wait) {
    try {
      if (stop.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS)) {
        stop.release();
        return false;
      }
      return failStop.cause() == null;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void run() {
    try {
      for (int turn = 1; !stop.tryAcquire(period.toMillis(), TimeUnit.MILLISECONDS); turn++) {
        if (failStop.cause() != null) {
          return;
        }
        try {
          look.accept(turn);
        } catch (RuntimeException e) {
          LOG.error("store: a check failed and will be repeated", e);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
