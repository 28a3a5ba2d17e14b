package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.Inbox;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What waits on disk for one chat thread, the oldest first.
 *
 * @param complete whether nothing is left on disk
 */
record Backlog(List<Incoming> events, boolean complete) {
  /** What is read beyond it is left on disk for the next time. */
  private static final long UNITS_MAX = 8L * 1024 * 1024;

  private static final int PAGE = 500;

  /** More than a command and all that is kept of its sender has. */
  private static final int COMMAND_BYTES_MAX = 64 * 1024;

  /** Reads about {@code max} of them, fewer when they are large; blocks. */
  static Backlog read(Inbox inbox, String threadId, int max) {
    List<Incoming> read = new ArrayList<>();
    long units = 0;
    List<Event> page = inbox.openOf(threadId, 0, max);
    // A short page is not the last one: it may have left out damaged rows, or large ones for later.
    while (!page.isEmpty() && read.size() < max && units < UNITS_MAX) {
      for (Event event : page) {
        Incoming incoming = Incoming.of(event);
        units += incoming.units();
        read.add(incoming);
      }
      page = inbox.openOf(threadId, page.getLast().seq(), max);
    }
    return new Backlog(read, page.isEmpty());
  }

  /**
   * Gives out the commands in it and behind it that do not wait their turn, the oldest first, a
   * page of them in memory at a time; blocks.
   */
  void commands(Inbox inbox, String threadId, Consumer<Incoming> obey) {
    events.stream().filter(Incoming::overtakes).forEach(obey);
    List<Event> page = complete ? List.of() : small(inbox, threadId, events.getLast().seq());
    while (!page.isEmpty()) {
      page.stream().map(Incoming::of).filter(Incoming::overtakes).forEach(obey);
      page = small(inbox, threadId, page.getLast().seq());
    }
  }

  private static List<Event> small(Inbox inbox, String threadId, long afterSeq) {
    return inbox.smallOpenOf(threadId, afterSeq, COMMAND_BYTES_MAX, PAGE);
  }
}
