package dev.holdfast.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The durable queue of accepted events. Thread-safe. */
public final class Inbox {
  Inbox() {}

  /**
   * Accepts an event. Returns at once; the future completes on the writer's thread after the fsync of the commit, or
   * fails with a {@link StoreException} (OVERLOADED: too many pending, too little disk or stopping; IO: the disk
   * refused), and then nothing was accepted.
   */
  public CompletableFuture<Appended> append(NewEvent event) {
    throw new UnsupportedOperationException(event.toString());
  }

  public Optional<Event> find(String id) {
    throw new UnsupportedOperationException(id);
  }

  /** The event by the sender's own id of it; several when more than one source knows that id. */
  public List<Event> findByDedupeKey(String dedupeKey) {
    throw new UnsupportedOperationException(dedupeKey);
  }

  /** Open events of one thread after {@code afterSeq}, oldest first. */
  public List<Event> openOf(String threadId, long afterSeq, int limit) {
    throw new UnsupportedOperationException(threadId + afterSeq + limit);
  }

  /** Open events of all threads after {@code afterSeq}, oldest first. */
  public List<Event> open(long afterSeq, int limit) {
    throw new UnsupportedOperationException("" + afterSeq + limit);
  }

  /** Counts a run before it starts and marks the event as running; durable on return. Returns the new number. */
  public int start(long seq) throws StoreException {
    throw new UnsupportedOperationException("" + seq);
  }

  /**
   * Ends a run without an end of the event: it waits for a dependency. The attempt is not held against it.
   *
   * @param told whether its sender knows that the answer comes later
   */
  public void park(long seq, String reason, boolean told) throws StoreException {
    throw new UnsupportedOperationException(seq + reason + told);
  }

  /** Back to pending, for example at a clean stop in the middle of a run: that run is not held against the event. */
  public void release(long seq) throws StoreException {
    throw new UnsupportedOperationException("" + seq);
  }

  /** Ends events: their states, replies, usage, story and dead letters in one transaction. Durable on return. */
  public void finish(Finish finish) throws StoreException {
    throw new UnsupportedOperationException(finish.toString());
  }

  /** Events by state, from memory; the sum is all that was ever accepted. Under the key "accepted" that number itself. */
  public Map<String, Long> counts() {
    throw new UnsupportedOperationException();
  }
}
