package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.context.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The events that wait for one thread agent, in the order of their acceptance. Bounded in number
 * and, together with all other mailboxes, in size: what does not fit stays on disk and is fetched
 * when there is room. Not thread-safe: guarded by its agent's lock.
 */
final class Mailbox {
  private final int capacity;
  private final MemoryBudget room;
  private final TreeMap<Long, Incoming> waiting = new TreeMap<>();

  /**
   * Whether there may be more on disk than what is here: so it is at first, and after an overflow.
   */
  private boolean backlog = true;

  /** By how many it is held. */
  private int holds;

  /** {@code room}: shared with the other mailboxes. */
  Mailbox(int capacity, MemoryBudget room) {
    this.capacity = capacity;
    this.room = room;
  }

  /** Order holds because an event that comes while others wait on disk is left there too. */
  void offer(Incoming incoming) {
    if (backlog || holds > 0 || waiting.containsKey(incoming.seq())) {
      return;
    }
    if (waiting.size() >= capacity || !room.tryTake(incoming.units())) {
      backlog = true;
      return;
    }
    waiting.put(incoming.seq(), incoming);
  }

  /** Forgets what waits here and gives nothing out until it is let go; then it looks on disk. */
  void hold() {
    clear();
    holds++;
  }

  void letGo() {
    holds--;
    backlog = true;
  }

  boolean isHeld() {
    return holds > 0;
  }

  boolean wantsRefill() {
    return backlog && !isHeld() && waiting.isEmpty();
  }

  /**
   * Before disk is read: an event that comes during the reading is kept, or raises the flag again.
   */
  void beginRefill() {
    backlog = false;
  }

  /**
   * Takes what was read, the oldest first.
   *
   * @param complete whether nothing is left on disk; if not, what came during the reading goes back
   *     behind the rest
   */
  void refill(List<Incoming> fromDisk, boolean complete) {
    if (!complete || isHeld()) {
      backlog = true;
    }
    if (backlog) {
      clear();
    }
    if (isHeld()) {
      return;
    }
    for (Incoming incoming : fromDisk) {
      if (waiting.containsKey(incoming.seq())) {
        continue;
      }
      if (incoming.seq() == fromDisk.getFirst().seq()) {
        room.take(incoming.units());
      } else if (!room.tryTake(incoming.units())) {
        backlog = true;
        waiting.tailMap(incoming.seq()).values().forEach(later -> room.give(later.units()));
        waiting.tailMap(incoming.seq()).clear();
        return;
      }
      waiting.put(incoming.seq(), incoming);
    }
  }

  /** Whether there is nothing to give out for now. */
  boolean isEmpty() {
    return waiting.isEmpty() && (isHeld() || !backlog);
  }

  int size() {
    return waiting.size();
  }

  int capacity() {
    return capacity;
  }

  /**
   * The oldest one, and when that one joins others, those right behind it that join too. Empty when
   * none waits.
   */
  List<Incoming> take(Predicate<Incoming> joins) {
    List<Incoming> batch = takeJoining(joins);
    if (batch.isEmpty() && !waiting.isEmpty()) {
      batch.add(poll());
    }
    return batch;
  }

  /** The oldest one that does not wait its turn. */
  Optional<Incoming> takeOvertaking() {
    Optional<Incoming> first = waiting.values().stream().filter(Incoming::overtakes).findFirst();
    first.ifPresent(
        incoming -> {
          waiting.remove(incoming.seq());
          room.give(incoming.units());
        });
    return first;
  }

  /** The oldest ones as far as they join. */
  List<Incoming> takeJoining(Predicate<Incoming> joins) {
    List<Incoming> batch = new ArrayList<>();
    while (!waiting.isEmpty() && joins.test(waiting.firstEntry().getValue())) {
      batch.add(poll());
    }
    return batch;
  }

  /** Forgets what waits here; it is on disk. */
  void clear() {
    while (!waiting.isEmpty()) {
      poll();
    }
  }

  /** Forgets what waits here and looks on disk again. */
  void reread() {
    clear();
    backlog = true;
  }

  private Incoming poll() {
    Incoming first = waiting.pollFirstEntry().getValue();
    room.give(first.units());
    return first;
  }
}
