package dev.holdfast.store;

import java.util.List;

/** What happened to each event, in order. Thread-safe. */
public final class Stories {
  Stories() {}

  /** Written with the next commit, not waited for: a line may be lost in a crash, the event is not. */
  public void add(StoryLine line) {
    throw new UnsupportedOperationException(line.toString());
  }

  /** Oldest first. */
  public List<StoryLine> of(String eventId) {
    throw new UnsupportedOperationException(eventId);
  }
}
