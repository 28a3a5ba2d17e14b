package dev.holdfast.ingress.webhooks;

import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.ClickVerdict;

/** Who decides what clicks mean. */
public interface ClickIntake {
  /**
   * Blocks until what the click decides is on disk. May be told twice.
   *
   * @param person the platform's id of whoever clicked
   * @throws StoreException when the store refuses: it decided nothing
   */
  ClickVerdict.Meaning clicked(String threadId, String person, String token) throws StoreException;
}
