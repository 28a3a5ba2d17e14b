package dev.holdfast.store.messages;

import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Transaction;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Writes something of its own along with what is written of messages, in the same transaction. Used
 * on the writer's thread alone.
 */
public interface Companion {
  /** Why no new event may be accepted now. Asked before anything is written. */
  Optional<StoreException> refusal(Transaction tx);

  /** A new event was accepted. */
  void accepted(Transaction tx, Event event) throws SQLException;

  /** A reply has arrived, or lies where its reader looks for it. */
  void sent(Transaction tx, Reply reply) throws SQLException;

  /** Writes nothing. */
  Companion NONE =
      new Companion() {
        @Override
        public Optional<StoreException> refusal(Transaction tx) {
          return Optional.empty();
        }

        @Override
        public void accepted(Transaction tx, Event event) {
          // Nothing belongs to it.
        }

        @Override
        public void sent(Transaction tx, Reply reply) {
          // Nothing belongs to it.
        }
      };
}
