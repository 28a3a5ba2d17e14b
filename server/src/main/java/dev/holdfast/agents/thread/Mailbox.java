package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.context.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * The events that wait for one thread agent, in the order of their acceptance. Bounded in number
 * and, together with all other mailboxes, in size: what does not fit stays on disk and is fetched
 * when there is room. Not thread-safe: guarded by its agent's lock.
 */
final class Mailbox {
  private final int capacity;
  private final MemoryBudget room;
  private final BooleanSupplier held;
  private final TreeMap<Long, Incoming> waiting = new TreeMap<>();

  /**
   * Whether there may be more on disk than what is here: so it is at first, and after an overflow.
   */
  private boolean backlog = true;

  /**
   * @param room shared with the other mailboxes
   * @param held whether nothing is to be given out for now
   */
  Mailbox(int capacity, MemoryBudget room, BooleanSupplier held) {
    this.capacity = capacity;
    this.room = room;
    this.held = held;
  }

  /** Order holds because an event that comes while others wait on disk is left there too. */
  void offer(Incoming incoming) {
    if (backlog || waiting.containsKey(incoming.seq())) {
      return;
    }
    if (waiting.size() >= capacity || !room.tryTake(incoming.units())) {
      backlog = true;
      return;
    }
    waiting.put(incoming.seq(), incoming);
  }

  boolean wantsRefill() {
    return backlog && waiting.isEmpty() && !held.getAsBoolean();
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
    if (!complete) {
      backlog = true;
    }
    if (backlog) {
      clear();
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

  /** For now: there may be something while it is held. */
  boolean hasNothingToGiveOut() {
    return (waiting.isEmpty() && !backlog) || held.getAsBoolean();
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
    if (batch.isEmpty() && !waiting.isEmpty() && !held.getAsBoolean()) {
      batch.add(poll());
    }
    return batch;
  }

  /** The oldest one that does not wait its turn. */
  Optional<Incoming> takeOvertaking() {
    if (held.getAsBoolean()) {
      return Optional.empty();
    }
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
    if (held.getAsBoolean()) {
      return batch;
    }
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
