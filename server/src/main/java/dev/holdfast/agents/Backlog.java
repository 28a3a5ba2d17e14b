package dev.holdfast.agents;

import dev.holdfast.store.Event;
import dev.holdfast.store.Inbox;
import java.util.ArrayList;
import java.util.List;

/**
 * What waits on disk for one chat thread, the oldest first.
 *
 * @param complete whether nothing is left on disk
 */
record Backlog(List<Incoming> events, boolean complete) {
  /** Reads about {@code max} of them; blocks. */
  static Backlog read(Inbox inbox, String threadId, int max) {
    List<Incoming> read = new ArrayList<>();
    List<Event> page = inbox.openOf(threadId, 0, max);
    while (!page.isEmpty() && read.size() < max) { // a short page may have left out damaged rows
      page.stream().map(Incoming::of).forEach(read::add);
      page = inbox.openOf(threadId, page.getLast().seq(), max);
    }
    return new Backlog(read, page.isEmpty());
  }
}
