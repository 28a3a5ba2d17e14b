package dev.holdfast.agents.dispatch;

import dev.holdfast.store.engine.StoreException;

/** What people ask of the plans of their chat thread. Thread-safe; blocks. */
public interface PlanCommands {
  /** The plans that go on and the newest that have ended, as a person reads them. */
  String list(String threadId);

  /**
   * Ends one plan.
   *
   * @param code the end of its id; empty for the only one that goes on
   * @param eventId the event that says so
   * @return what the person reads
   */
  String cancel(String threadId, String code, String eventId, String person) throws StoreException;
}
