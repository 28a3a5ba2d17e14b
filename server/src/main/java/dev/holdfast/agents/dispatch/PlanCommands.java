package dev.holdfast.agents.dispatch;

import dev.holdfast.store.engine.StoreException;
import java.util.Optional;

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

  /**
   * Makes a plan of a goal; a model writes its steps. Said again for the same event it makes no
   * second one.
   *
   * @return what the person reads
   */
  String make(String threadId, String goal, String eventId, String person) throws StoreException;

  /**
   * Answers what an agent has asked for.
   *
   * @return what the person reads; empty when nothing waits under the code
   */
  Optional<String> answer(String threadId, String code, String text, String eventId, String person)
      throws StoreException;

  /** As {@link #answer} for what needs a yes or no. */
  Optional<String> decide(String threadId, String code, boolean yes, String eventId, String person)
      throws StoreException;
}
