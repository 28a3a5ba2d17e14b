package dev.holdfast.agents;

import dev.holdfast.store.Event;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Activates thread agents and gives them their events. Thread-safe. */
public final class Orchestrator {
  Orchestrator() {}

  /** An active chat thread. {@code doing}: idle, queued, or what the running turn does; since when. */
  public record ThreadView(String threadId, String doing, Instant since, int waiting, String eventId) {}

  /** A new event was committed. Returns at once; never blocks. */
  public void wake(Event event) {
    throw new UnsupportedOperationException(event.toString());
  }

  /** Events were put back by an operator: look for them again. */
  public void rescan() {
    throw new UnsupportedOperationException();
  }

  /** Cancels the running turn; with {@code all} the waiting events too. Returns how many events it ended. */
  public int stop(String threadId, boolean all) {
    throw new UnsupportedOperationException(threadId + all);
  }

  /** Starts a fresh context; the running turn, if any, ends first. */
  public void reset(String threadId) {
    throw new UnsupportedOperationException(threadId);
  }

  public List<ThreadView> active() {
    throw new UnsupportedOperationException();
  }

  public Optional<ThreadView> find(String threadId) {
    throw new UnsupportedOperationException(threadId);
  }
}
