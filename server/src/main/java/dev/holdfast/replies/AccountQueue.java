package dev.holdfast.replies;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one account that have something to post: each is worked on by one worker at a
 * time, a few at once, and none waits for the platform of another account. Thread-safe; never
 * blocks.
 */
final class AccountQueue {
  /** Posts to one account that run at once. */
  private static final int WORKERS_MAX = 32;

  private final int threadsMax;
  private final ArrayDeque<String> ready = new ArrayDeque<>();
  private final Map<String, Place> places = new HashMap<>();
  private int workers;
  private boolean paused;
  private boolean forgot;

  private enum Place {
    READY,
    /** Ready after a wait that took place in this process. */
    DUE,
    RUNNING,
    /** Running, and something was planned meanwhile. */
    RUNNING_STALE,
    WAITING
  }

  /** A thread to work on. {@code due}: its wait is over. */
  record Turn(String threadId, boolean due) {}

  /**
   * {@code threadsMax}: how many threads are known by name; what is beyond stays in the store until
   * there is room.
   */
  AccountQueue(int threadsMax) {
    this.threadsMax = threadsMax;
  }

  /** Something may be there to post. */
  synchronized void wake(String threadId) {
    @Nullable Place place = places.get(threadId);
    if (place == Place.RUNNING) {
      places.put(threadId, Place.RUNNING_STALE);
    } else if (place == null) {
      if (places.size() >= threadsMax) {
        forgot = true;
        return;
      }
      places.put(threadId, Place.READY);
      ready.addLast(threadId);
    }
  }

  /** The next thread to work on; null when there is none now. */
  synchronized @Nullable Turn take() {
    if (paused || workers >= WORKERS_MAX || ready.isEmpty()) {
      return null;
    }
    String threadId = ready.removeFirst();
    boolean due = places.put(threadId, Place.RUNNING) == Place.DUE;
    workers++;
    return new Turn(threadId, due);
  }

  /** Nothing was left to post. */
  synchronized void done(String threadId) {
    workers--;
    if (places.remove(threadId) == Place.RUNNING_STALE) {
      wake(threadId);
    }
  }

  /** The thread waits; {@link #due} ends it. */
  synchronized void waits(String threadId) {
    workers--;
    places.put(threadId, Place.WAITING);
  }

  synchronized void due(String threadId) {
    if (places.get(threadId) == Place.WAITING) {
      places.put(threadId, Place.DUE);
      ready.addLast(threadId);
    }
  }

  /**
   * The account waits, this thread first in line. Returns whether this call began the pause, which
   * {@link #resume} ends.
   */
  synchronized boolean pause(String threadId, boolean due) {
    workers--;
    places.put(threadId, due ? Place.DUE : Place.READY);
    ready.addFirst(threadId);
    boolean began = !paused;
    paused = true;
    return began;
  }

  synchronized void resume() {
    paused = false;
  }

  /** Whether nothing can be done now: what is left waits for its time. */
  synchronized boolean isIdle() {
    return workers == 0 && (paused || ready.isEmpty());
  }

  /** Whether threads were turned away and there is room for them again; asking clears it. */
  synchronized boolean takeForgotten() {
    if (!forgot || places.size() > threadsMax / 2) {
      return false;
    }
    forgot = false;
    return true;
  }
}
