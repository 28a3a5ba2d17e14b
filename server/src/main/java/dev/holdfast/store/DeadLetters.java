package dev.holdfast.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The events and replies that were given up, and the held replies. Thread-safe. */
public final class DeadLetters {
  DeadLetters() {}

  /** Newest first. {@code kind} empty: all. */
  public List<DeadLetter> list(String kind, Instant olderThan, int limit) {
    throw new UnsupportedOperationException(kind + olderThan + limit);
  }

  public Optional<DeadLetter> find(String id) {
    throw new UnsupportedOperationException(id);
  }

  /**
   * Puts it back: an event becomes pending again under its old id, a reply planned. A second replay of the same letter
   * changes nothing. Returns whether this call did it; the caller then wakes whoever runs events or posts replies.
   */
  public boolean replay(String id) throws StoreException {
    throw new UnsupportedOperationException(id);
  }

  /** Removes the letter for good; its event stays dead-lettered. */
  public boolean discard(String id) throws StoreException {
    throw new UnsupportedOperationException(id);
  }

  /** How many there are, by kind. */
  public java.util.Map<String, Long> counts() {
    throw new UnsupportedOperationException();
  }
}
