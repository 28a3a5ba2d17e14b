package dev.holdfast.store;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the store four times a second: free space, changes that wait too long, a full disk,
 * old rows.
 */
final class Watch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
  private static final long PERIOD_MILLIS = 250;
  private static final int TURNS_PER_PROBE = 4;
  private static final int TURNS_PER_PURGE = 240;

  private final Writer writer;
  private final Intake intake;
  private final Purge purge;
  private final Touches touches;
  private final FailStop failStop;
  private final Semaphore stop = new Semaphore(0);
  private final Thread thread;

  Watch(Writer writer, Intake intake, Purge purge, Touches touches, FailStop failStop) {
    this.writer = writer;
    this.intake = intake;
    this.purge = purge;
    this.touches = touches;
    this.failStop = failStop;
    this.thread = Thread.ofPlatform().daemon().name("holdfast-store-watch").unstarted(this);
  }

  void start() {
    thread.start();
  }

  void stop() {
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
      for (int turn = 1; !stop.tryAcquire(PERIOD_MILLIS, TimeUnit.MILLISECONDS); turn++) {
        if (failStop.cause() != null) {
          return;
        }
        try {
          look(turn);
        } catch (RuntimeException e) {
          LOG.error("store: a look at it failed, the next one comes", e);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void look(int turn) {
    writer.refuseLate();
    intake.look();
    if (turn % TURNS_PER_PROBE == 0) {
      if (writer.isFull()) {
        writer.probe();
      }
      touches.settle();
    }
    if (turn % TURNS_PER_PURGE == 0) {
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
}
