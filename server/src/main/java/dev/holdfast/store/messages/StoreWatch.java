package dev.holdfast.store.messages;

import dev.holdfast.store.engine.FailStop;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.ThreadActivity;
import dev.holdfast.store.engine.Writer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the store at regular times, on a thread of its own. There are two: one that never
 * waits for the writer, so that a disk that hangs is noticed, and one that does.
 */
public final class StoreWatch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreWatch.class);
  private static final int LOOKS_PER_PROBE = 4;
  private static final int LOOKS_PER_PURGE = 60;

  private final Duration period;
  private final IntConsumer look;
  private final FailStop failStop;
  private final Semaphore stop = new Semaphore(0);
  private final Thread thread;

  /** {@code look} is told the how-manieth it is, from 1. */
  private StoreWatch(String name, Duration period, IntConsumer look, FailStop failStop) {
    this.period = period;
    this.look = look;
    this.failStop = failStop;
    this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this);
  }

  /** Over the disk: free space, changes that wait too long, whether a full one takes more. */
  public static StoreWatch overDisk(Writer writer, Admission intake, FailStop failStop) {
    return new StoreWatch(
        "holdfast-store-watch",
        Duration.ofMillis(250),
        number -> {
          writer.refuseLate();
          intake.look();
          if (number % LOOKS_PER_PROBE == 0 && writer.isFull()) {
            writer.probe();
          }
        },
        failStop);
  }

  /** Over the rows: writes the times of the threads, and removes what is old. */
  public static StoreWatch overRows(Purge purge, ThreadActivity touches, FailStop failStop) {
    return new StoreWatch(
        "holdfast-store-tidy",
        Duration.ofSeconds(1),
        number -> {
          touches.settle();
          if (number % LOOKS_PER_PURGE == 0) {
            sweep(purge);
          }
        },
        failStop);
  }

  public void start() {
    thread.start();
  }

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

  private static void sweep(Purge purge) {
    try {
      long removed = purge.sweep();
      if (removed > 0) {
        LOG.info("store: {} old events were removed", removed);
      }
    } catch (StoreException e) {
      LOG.warn("store: old events could not be removed: {}", e.getMessage());
    }
  }
}
