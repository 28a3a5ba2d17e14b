package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.MemoryBudget;
import dev.holdfast.store.messages.Event;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Events that were just committed, on their way to the dispatching loop. Bounded: what does not fit
 * is found on disk. Thread-safe.
 */
final class CommittedEvents {
  private static final int EVENTS_MAX = 20_000;

  private final MemoryBudget room = MemoryBudget.ofHeap();
  private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(EVENTS_MAX);
  private volatile boolean overflowed;

  /** Returns at once. */
  void put(Event event) {
    long units = event.payload().length();
    if (!room.tryTake(units)) {
      overflowed = true;
    } else if (!events.offer(event)) {
      room.give(units);
      overflowed = true;
    }
  }

  /** Whether something did not fit since this was last asked. */
  boolean takeOverflow() {
    boolean was = overflowed;
    if (was) {
      overflowed = false;
    }
    return was;
  }

  /** The next one; null when none comes within the wait. */
  @Nullable Event poll(long waitMillis) throws InterruptedException {
    Event event = events.poll(waitMillis, TimeUnit.MILLISECONDS);
    if (event != null) {
      room.give(event.payload().length());
    }
    return event;
  }
}
