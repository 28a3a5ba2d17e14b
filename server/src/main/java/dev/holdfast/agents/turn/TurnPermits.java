package dev.holdfast.agents.turn;

import java.util.ArrayDeque;
import java.util.concurrent.Semaphore;

/**
 * Lets only so many turns run at once. There are two lines, each served in the order of arrival:
 * one for messages that have just come, one for those that have waited. While both have somebody,
 * they take turns, so that a new message does not wait behind a backlog, nor a backlog behind a
 * stream of new messages. Thread-safe.
 */
public final class TurnPermits {
  private final ArrayDeque<Semaphore> fresh = new ArrayDeque<>();
  private final ArrayDeque<Semaphore> aged = new ArrayDeque<>();
  private int free;
  private boolean freshIsNext = true;

  public TurnPermits(int turnsMax) {
    free = turnsMax;
  }

  /**
   * Takes a permit, blocking until one is free. Whoever returns from here must {@link #release}.
   */
  public void acquire(boolean isFresh) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Semaphore given = new Semaphore(0);
    synchronized (this) {
      if (free > 0) {
        free--;
        return;
      }
      (isFresh ? fresh : aged).addLast(given);
    }
    try {
      given.acquire();
    } catch (InterruptedException e) {
      if (!leave(given)) {
        release(); // it was given in the same moment
      }
      throw e;
    }
  }

  public synchronized void release() {
    boolean toFresh = aged.isEmpty() || (freshIsNext && !fresh.isEmpty());
    Semaphore next = (toFresh ? fresh : aged).pollFirst();
    freshIsNext = !toFresh;
    if (next == null) {
      free++;
    } else {
      next.release();
    }
  }

  /** How many wait. */
  synchronized int waiting() {
    return fresh.size() + aged.size();
  }

  private synchronized boolean leave(Semaphore given) {
    return fresh.remove(given) || aged.remove(given);
  }
}
