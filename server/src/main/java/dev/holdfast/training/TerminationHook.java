package dev.holdfast.training;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts the thread that made it when this process is told to end, and lets it put its things
 * away: a server in training would go on for ever.
 */
final class TerminationHook implements AutoCloseable {
  private static final int CLEANUP_SECONDS_MAX = 10;

  private final Thread worker = Thread.currentThread();
  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook = new Thread(this::interrupt, "training-termination");

  TerminationHook() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void interrupt() {
    worker.interrupt();
    try {
      var _ = done.await(CLEANUP_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** When the work is over and nothing of it is left. */
  @Override
  public void close() {
    done.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // It runs, and ends now.
    }
  }
}
