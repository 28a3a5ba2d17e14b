package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Transaction;
import java.sql.SQLException;
import java.time.Instant;

/**
 * A table beside the messages that follows what becomes of events. Called on the writer's thread,
 * within the transaction: both changes are kept, or neither.
 */
public interface EventLedger {
  /** The event was given up or cancelled. */
  default void unanswered(Transaction tx, long seq) throws SQLException {}

  /**
   * Now and then: finished events from before {@code cutoff} are forgotten. A few thousand rows at
   * most, the rest the next time.
   *
   * @param now never ahead of the steady clock, however far the other one jumps
   */
  void forget(Transaction tx, Instant cutoff, Instant now) throws SQLException;
}
