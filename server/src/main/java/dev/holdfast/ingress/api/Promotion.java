package dev.holdfast.ingress.api;

import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.DiscardedWork;
import java.io.IOException;

/** Lets a restored copy take the place of its original. */
public interface Promotion {
  /** Whether this server is a copy that was not promoted yet. */
  boolean isAwaited();

  /**
   * Durable on return; can be repeated. Blocks.
   *
   * @param discard whether what is open becomes dead letters, in place of being sent
   * @throws IOException when the disk takes nothing; then nothing was let go
   */
  DiscardedWork promote(boolean discard) throws IOException, StoreException;
}
