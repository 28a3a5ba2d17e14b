package dev.holdfast.agents.dispatch;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The chat threads of which nothing may begin for now, because stops are being written; whichever
 * agent a thread has meanwhile, if any. Thread-safe.
 */
final class HeldThreads {
  private record Hold(int stops, Lock writing) {}

  private final ConcurrentMap<String, Hold> holds = new ConcurrentHashMap<>();

  /** To be let go as often as it is held. Returns the lock under which its stops are written. */
  Lock hold(String threadId) {
    return holds
        .compute(
            threadId,
            (_, hold) ->
                hold == null
                    ? new Hold(1, new ReentrantLock())
                    : new Hold(hold.stops() + 1, hold.writing()))
        .writing();
  }

  void letGo(String threadId) {
    holds.computeIfPresent(
        threadId,
        (_, hold) -> hold.stops() == 1 ? null : new Hold(hold.stops() - 1, hold.writing()));
  }

  boolean isHeld(String threadId) {
    return holds.containsKey(threadId);
  }
}
