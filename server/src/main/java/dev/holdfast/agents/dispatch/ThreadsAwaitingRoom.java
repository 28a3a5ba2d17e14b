package dev.holdfast.agents.dispatch;

import dev.holdfast.resilience.FairLine;
import dev.holdfast.resilience.FlowKey;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The chat threads that have a new message on disk and found no room for an agent; accounts and
 * senders take turns. Bounded: the rest is found by a scan. Used by one thread.
 */
final class ThreadsAwaitingRoom {
  private static final int THREADS_MAX = 10_000;

  private final FairLine<String> line = new FairLine<>();
  private final Set<String> waiting = new HashSet<>();

  /** {@code flow}: of the message. False when there are too many to remember. */
  boolean add(String threadId, FlowKey flow) {
    if (waiting.contains(threadId)) {
      return true;
    }
    if (waiting.size() >= THREADS_MAX) {
      return false;
    }
    line.add(flow, threadId);
    return waiting.add(threadId);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Lets the first ones in, as far as there is room. Whether it let in any. */
  boolean letIn(Predicate<String> room) {
    boolean any = false;
    while (line.first().filter(room).isPresent()) {
      line.poll().ifPresent(waiting::remove);
      any = true;
    }
    return any;
  }
}
