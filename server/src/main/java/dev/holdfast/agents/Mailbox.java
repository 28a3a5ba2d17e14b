package dev.holdfast.agents;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The events that wait for one thread agent, in the order of their acceptance. Bounded: what does not fit stays on
 * disk and is fetched when there is room. Not thread-safe: guarded by its agent's lock.
 */
final class Mailbox {
  private final int capacity;
  private final TreeMap<Long, Incoming> waiting = new TreeMap<>();

  /** Whether there may be more on disk than what is here: so it is at first, and after an overflow. */
  private boolean backlog = true;

  Mailbox(int capacity) {
    this.capacity = capacity;
  }

  /** Order holds because an event that comes while others wait on disk is left there too. */
  void offer(Incoming incoming) {
    if (backlog || waiting.size() >= capacity) {
      backlog = true;
    } else {
      waiting.put(incoming.seq(), incoming);
    }
  }

  /** There is more on disk. */
  void overflow() {
    backlog = true;
  }

  boolean wantsRefill() {
    return backlog && waiting.isEmpty();
  }

  /** Before disk is read: an event that comes during the reading raises the flag again. */
  void beginRefill() {
    backlog = false;
  }

  /** A full page may have left some on disk: then what came during the reading goes back behind those. */
  void refill(List<Incoming> fromDisk) {
    if (fromDisk.size() >= capacity) {
      backlog = true;
      waiting.clear();
    }
    fromDisk.forEach(incoming -> waiting.put(incoming.seq(), incoming));
  }

  boolean isEmpty() {
    return waiting.isEmpty() && !backlog;
  }

  int size() {
    return waiting.size();
  }

  int capacity() {
    return capacity;
  }

  /** The oldest one, and when that one joins others, those right behind it that join too. Empty when none waits. */
  List<Incoming> take(Predicate<Incoming> joins) {
    List<Incoming> batch = takeJoining(joins);
    if (batch.isEmpty() && !waiting.isEmpty()) {
      batch.add(waiting.pollFirstEntry().getValue());
    }
    return batch;
  }

  /** The oldest ones as far as they join. */
  List<Incoming> takeJoining(Predicate<Incoming> joins) {
    List<Incoming> batch = new ArrayList<>();
    while (!waiting.isEmpty() && joins.test(waiting.firstEntry().getValue())) {
      batch.add(waiting.pollFirstEntry().getValue());
    }
    return batch;
  }

  /** Everything that waits here; what is on disk stays there. */
  List<Incoming> takeAll() {
    List<Incoming> all = new ArrayList<>(waiting.values());
    waiting.clear();
    return all;
  }

}
