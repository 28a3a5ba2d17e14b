package dev.holdfast.agents;

import java.util.concurrent.atomic.AtomicLong;

/** A bound on what many hold together, in units of UTF-16. Thread-safe. */
final class Room {
  private final AtomicLong left;

  Room(long units) {
    this.left = new AtomicLong(units);
  }

  /** An eighth of the heap, in which a unit takes two bytes. */
  static Room ofHeap() {
    return new Room(Runtime.getRuntime().maxMemory() / 16);
  }

  /** Takes that much if it is there. */
  boolean tryTake(long units) {
    if (left.addAndGet(-units) >= 0) {
      return true;
    }
    left.addAndGet(units);
    return false;
  }

  /** Takes that much in any case: for the one thing without which nothing moves. */
  void take(long units) {
    left.addAndGet(-units);
  }

  void give(long units) {
    left.addAndGet(units);
  }
}
