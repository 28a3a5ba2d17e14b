package dev.holdfast.tasks.ledger;

import dev.holdfast.store.engine.Transaction;
import java.sql.SQLException;

/** Writes something of its own along with a move. Used on the writer's thread alone. */
@FunctionalInterface
public interface MoveJournal {
  void write(Transaction tx, PlanMoved move) throws SQLException;
}
