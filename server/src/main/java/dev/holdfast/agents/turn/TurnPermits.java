package dev.holdfast.agents.turn;

import dev.holdfast.resilience.FairLine;
import dev.holdfast.resilience.FlowKey;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Lets only so many turns run at once. There are two lines: one for messages that have just come,
 * one for those that have waited. While both have somebody, they take turns, so that a new message
 * does not wait behind a backlog, nor a backlog behind a stream of new messages; and within each
 * line accounts and senders take turns. Thread-safe.
 */
public final class TurnPermits {
  private final FairLine<Semaphore> fresh = new FairLine<>();
  private final FairLine<Semaphore> aged = new FairLine<>();
  private int free;
  private boolean freshIsNext = true;

  public TurnPermits(int turnsMax) {
    free = turnsMax;
  }

  /**
   * Takes a permit, blocking until one is free. Whoever returns from here must {@link #release}.
   */
  public void acquire(FlowKey flow, boolean isFresh) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Semaphore given = new Semaphore(0);
    synchronized (this) {
      if (free > 0) {
        free--;
        return;
      }
      (isFresh ? fresh : aged).add(flow, given);
    }
    try {
      given.acquire();
    } catch (InterruptedException e) {
      if (!leave(flow, given)) {
        release(); // it was given in the same moment
      }
      throw e;
    }
  }

  public synchronized void release() {
    boolean toFresh = aged.isEmpty() || (freshIsNext && !fresh.isEmpty());
    Optional<Semaphore> next = (toFresh ? fresh : aged).poll();
    freshIsNext = !toFresh;
    next.ifPresentOrElse(Semaphore::release, () -> free++);
  }

  /** How many wait. */
  synchronized int waiting() {
    return fresh.size() + aged.size();
  }

  private synchronized boolean leave(FlowKey flow, Semaphore given) {
    return fresh.remove(flow, given) || aged.remove(flow, given);
  }
}
