package dev.holdfast.replies;

import org.jspecify.annotations.Nullable;

/**
 * Lets a stop interrupt a thread while it waits for a platform, and only then: never while it
 * writes to the store.
 */
final class StopInterrupt {
  private boolean stopped;
  private @Nullable Thread waiting;

  /** From here on a stop interrupts the calling thread. */
  synchronized void leaveStore() throws InterruptedException {
    if (stopped) {
      throw new InterruptedException();
    }
    waiting = Thread.currentThread();
  }

  /** From here on it does not; an interrupt that is under way is forgotten. May be called twice. */
  synchronized void enterStore() {
    waiting = null;
    Thread.interrupted();
  }

  synchronized void stop() {
    stopped = true;
    if (waiting != null) {
      waiting.interrupt();
    }
  }

  synchronized boolean isStopped() {
    return stopped;
  }
}
