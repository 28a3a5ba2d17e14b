package dev.holdfast.agents.context;

import java.util.concurrent.atomic.AtomicLong;

/** A bound on what many hold together, in units of UTF-16. Thread-safe. */
public final class MemoryBudget {
  private final AtomicLong left;

  public MemoryBudget(long units) {
    this.left = new AtomicLong(units);
  }

  /** An eighth of the heap, in which a unit takes two bytes. */
  public static MemoryBudget ofHeap() {
    return new MemoryBudget(Runtime.getRuntime().maxMemory() / 16);
  }

  /** Takes that much if it is there. */
  public boolean tryTake(long units) {
    if (left.addAndGet(-units) >= 0) {
      return true;
    }
    left.addAndGet(units);
    return false;
  }

  /** Takes that much in any case: for the one thing without which nothing moves. */
  public void take(long units) {
    left.addAndGet(-units);
  }

  public void give(long units) {
    left.addAndGet(units);
  }
}
