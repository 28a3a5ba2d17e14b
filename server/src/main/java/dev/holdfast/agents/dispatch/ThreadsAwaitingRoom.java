package dev.holdfast.agents.dispatch;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The chat threads that have a new message on disk and found no room for an agent, the longest
 * waiting one first. Bounded: the rest is found by a scan. Used by one thread.
 */
final class ThreadsAwaitingRoom {
  private static final int THREADS_MAX = 10_000;

  private final Set<String> waiting = new LinkedHashSet<>();

  /** False when there are too many to remember. */
  boolean add(String threadId) {
    return waiting.contains(threadId) || (waiting.size() < THREADS_MAX && waiting.add(threadId));
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Lets the first ones in, as far as there is room. Whether it let in any. */
  boolean letIn(Predicate<String> room) {
    boolean any = false;
    for (Iterator<String> each = waiting.iterator(); each.hasNext(); any = true) {
      if (!room.test(each.next())) {
        return any;
      }
      each.remove();
    }
    return any;
  }
}
