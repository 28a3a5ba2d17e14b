package dev.holdfast.bus;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What of the queue is in memory: the events that wait, in their order, apart from those of
 * subjects that rest. Used by the publisher's thread alone.
 */
final class LoadedEvents {
  private static final int PAGE = 1000;

  /** What it holds at most: events, and units of UTF-16. The last page may go beyond. */
  private static final int EVENTS_MAX = 20_000;

  private static final long UNITS_MAX = 16L * 1024 * 1024;

  private final DiskQueue queue;
  private final TreeMap<Long, QueuedEvent> waiting = new TreeMap<>();
  private final Map<String, Rest> resting = new HashMap<>();

  /** Are handed out or have left the queue, though their rows may still be read. */
  private final Set<Long> out = new HashSet<>();

  private boolean mayBeMore = true;
  private long readUpTo;
  private int loaded;
  private long units;

  /** Of one subject. */
  private record Rest(long untilNanos, List<QueuedEvent> events) {}

  LoadedEvents(DiskQueue queue) {
    this.queue = queue;
  }

  /** Something was added behind all that was read. */
  void added() {
    mayBeMore = true;
  }

  /** Forgets what waits or rests; it is read again, in its order. */
  void readAgain() {
    waiting.clear();
    resting.clear();
    readUpTo = 0;
    loaded = 0;
    units = 0;
    mayBeMore = true;
  }

  /**
   * Hands out the first event that may be published; null when there is none. Its holder puts it
   * back or takes it from the queue.
   */
  @Nullable QueuedEvent next() {
    while (true) {
      if (waiting.size() < PAGE && mayBeMore && loaded < EVENTS_MAX && units < UNITS_MAX) {
        load();
      }
      Map.Entry<Long, QueuedEvent> first = waiting.pollFirstEntry();
      if (first == null) {
        return null;
      }
      QueuedEvent event = first.getValue();
      Rest rest = resting.get(event.subject());
      if (rest == null) {
        loaded--;
        units -= event.payload().length();
        out.add(event.seq());
        return event;
      }
      rest.events().add(event);
    }
  }

  private void load() {
    List<QueuedEvent> page = queue.page(readUpTo, PAGE);
    mayBeMore = !page.isEmpty();
    for (QueuedEvent event : page) {
      readUpTo = event.seq();
      if (!out.contains(event.seq())) {
        add(event);
      }
    }
  }

  private void add(QueuedEvent event) {
    waiting.put(event.seq(), event);
    loaded++;
    units += event.payload().length();
  }

  /** It was not published: it waits again, in its place. */
  void putBack(QueuedEvent event) {
    if (out.remove(event.seq()) && event.seq() <= readUpTo) {
      add(event); // else it will be read
    }
  }

  /** As {@link #putBack}; nothing of its subject is handed out until then. */
  void rest(QueuedEvent event, long untilNanos) {
    putBack(event);
    resting.putIfAbsent(event.subject(), new Rest(untilNanos, new ArrayList<>()));
  }

  /** Ends the rests that are over. */
  void wake(long nowNanos) {
    resting
        .values()
        .removeIf(
            rest -> {
              boolean over = rest.untilNanos() - nowNanos <= 0;
              if (over) {
                rest.events().forEach(event -> waiting.put(event.seq(), event));
              }
              return over;
            });
  }

  /** Their rows are not there any more. */
  void removed(List<Long> seqs) {
    seqs.forEach(out::remove);
  }
}
