package dev.holdfast.replies;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  private final Map<String, Integer> failures = new HashMap<>();
  private final Map<String, Instant> askedWaits = new HashMap<>();
  private final Map<String, Long> waits = new HashMap<>();

  /** Replies that are marked as being sent, and not posted yet, with their threads. */
  private final Map<Long, String> begun = new HashMap<>();

  /** How many take begun replies back just now: nobody takes up any meanwhile. */
  private int takingBack;

  private long lastWait;
  private int workers;
  private boolean paused;
  private boolean trying;
  private @Nullable String trial;
  private boolean forgot;
  private boolean closed;

  private enum Place {
    READY,
    /** Ready after a wait that took place in this process. */
    DUE,
    RUNNING,
    /** Running, and something was planned meanwhile. */
    RUNNING_STALE,
    WAITING
  }

  /** {@code threads} of them wait, the last until {@code until}. */
  record AskedWaits(int threads, Instant until) {}

  /** A thread to work on. {@code due}: its wait is over. */
  record Turn(String threadId, boolean due) {}

  /**
   * {@code threadsMax}: how many threads are known by name; what is beyond stays in the store until
   * there is room.
   */
  AccountQueue(int threadsMax) {
    this.threadsMax = threadsMax;
  }

  /**
   * Something may be there to post.
   *
   * @param failed how often the first of it has failed; asked only of a thread that is not known
   */
  synchronized void wake(String threadId, int failed) {
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
      if (failed > 0) {
        failures.put(threadId, failed);
      }
    }
  }

  /**
   * Whether the first reply of a thread that has nothing else to post goes out as soon as it is
   * planned: then it counts as begun, until {@link #takeBegun}.
   */
  synchronized boolean begin(String threadId, long seq) {
    boolean free =
        !closed
            && !paused
            && !trying
            && places.size() < threadsMax
            && !places.containsKey(threadId)
            && workers + begun.size() < WORKERS_MAX;
    return free && begun.putIfAbsent(seq, threadId) == null;
  }

  /** Whether the reply is begun. */
  synchronized boolean hasBegun(long seq) {
    return begun.containsKey(seq);
  }

  /** Whether the reply was begun, which it is no longer. */
  synchronized boolean takeBegun(long seq) {
    return begun.remove(seq) != null;
  }

  /** Begins no more replies. Returns those that were begun and that no worker has taken up. */
  synchronized List<Long> close() {
    closed = true;
    List<Long> left = List.copyOf(begun.keySet());
    begun.clear();
    return left;
  }

  /**
   * The begun replies that no worker has. None is taken up until {@link #tookBack}, which must
   * follow.
   */
  synchronized List<Long> takeBack() {
    takingBack++;
    return begun.entrySet().stream()
        .filter(reply -> !isRunning(reply.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** {@code seqs}: the replies whose mark is gone. */
  synchronized void tookBack(List<Long> seqs) {
    begun.keySet().removeAll(seqs);
    takingBack--;
  }

  private boolean isRunning(String threadId) {
    @Nullable Place place = places.get(threadId);
    return place == Place.RUNNING || place == Place.RUNNING_STALE;
  }

  /**
   * The next thread to work on; null when there is none now. A trial goes to the thread that has
   * failed least, so that one that always fails keeps no other waiting.
   */
  synchronized @Nullable Turn take() {
    if (paused || takingBack > 0 || workers >= WORKERS_MAX || ready.isEmpty()) {
      return null;
    }
    if (trying && trial != null) {
      return null;
    }
    String threadId = trying ? leastFailed() : ready.removeFirst();
    trial = trying ? threadId : null;
    boolean due = places.put(threadId, Place.RUNNING) == Place.DUE;
    workers++;
    return new Turn(threadId, due);
  }

  private String leastFailed() {
    String least =
        Collections.min(ready, Comparator.comparing(thread -> failures.getOrDefault(thread, 0)));
    ready.remove(least);
    return least;
  }

  private void ended(String threadId) {
    workers--;
    if (threadId.equals(trial)) {
      trial = null;
    }
  }

  /** A post arrived. {@code stillTrying}: whether the next post is another trial. */
  synchronized void arrived(String threadId, boolean stillTrying) {
    failures.remove(threadId);
    trying = trying && stillTrying;
  }

  /** Nothing was left to post. */
  synchronized void done(String threadId) {
    ended(threadId);
    failures.remove(threadId);
    if (places.remove(threadId) == Place.RUNNING_STALE) {
      wake(threadId, 0);
    }
  }

  /**
   * The thread waits, because its post failed. {@code asked}: until when, if its platform has asked
   * for a wait that people should know of; else null. Returns the number of the wait, which {@link
   * #due} ends.
   */
  synchronized long waits(String threadId, @Nullable Instant asked) {
    ended(threadId);
    if (asked != null) {
      askedWaits.put(threadId, asked);
    }
    failures.merge(threadId, 1, Integer::sum);
    places.put(threadId, Place.WAITING);
    waits.put(threadId, ++lastWait);
    return lastWait;
  }

  /** How many threads wait because their platform has asked for it, and until when at most. */
  synchronized Optional<AskedWaits> askedWaits() {
    return askedWaits.values().stream()
        .max(Comparator.naturalOrder())
        .map(longest -> new AskedWaits(askedWaits.size(), longest));
  }

  /** The wait of that number is over, if it was not ended before. */
  synchronized void due(String threadId, long wait) {
    if (waits.remove(threadId, wait)) {
      askedWaits.remove(threadId);
      places.put(threadId, Place.DUE);
      ready.addLast(threadId);
    }
  }

  /** All waits are over, those of the account as well. */
  synchronized void allDue() {
    Map.copyOf(waits).forEach(this::due);
    paused = false;
  }

  /**
   * The account waits, this thread first in line. Returns whether this call began the pause, which
   * {@link #resume} ends.
   *
   * @param thenTry whether posts go out one by one then, until one arrives
   */
  synchronized boolean pause(String threadId, boolean due, boolean thenTry) {
    ended(threadId);
    trying = thenTry;
    places.put(threadId, due ? Place.DUE : Place.READY);
    ready.addFirst(threadId);
    boolean began = !paused;
    paused = true;
    return began;
  }

  synchronized void resume() {
    paused = false;
  }

  /** Whether something of the thread may not be posted yet. */
  synchronized boolean mayHold(String threadId) {
    return forgot || places.containsKey(threadId) || begun.containsValue(threadId);
  }

  /** Whether nothing can be done now: what is left waits for its time. */
  synchronized boolean isIdle() {
    return workers == 0 && takingBack == 0 && (paused || ready.isEmpty());
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
