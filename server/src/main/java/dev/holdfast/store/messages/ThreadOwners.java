package dev.holdfast.store.messages;

import dev.holdfast.store.engine.StoreException;

/** Remembers who began each chat thread of the web channel. Thread-safe; everything blocks. */
public interface ThreadOwners {
  Ownership find(String threadId);

  /**
   * Makes a thread that nobody has written to the owner's, durable on return. Returns whose it is
   * now: the first one who claims it gets it.
   */
  Ownership claim(String threadId, String owner, boolean shared) throws StoreException;

  /** Opens a thread that has an owner to everybody, or closes it again. Durable on return. */
  void share(String threadId, boolean shared) throws StoreException;
}
