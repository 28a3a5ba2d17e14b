package dev.holdfast.ingress;

import dev.holdfast.store.Appended;
import dev.holdfast.store.NewEvent;
import java.util.concurrent.CompletableFuture;

/** Where accepted events go: the inbox. */
@FunctionalInterface
public interface Intake {
  /**
   * Returns at once; completes after the commit, on any thread, or fails with a {@link
   * dev.holdfast.store.StoreException}.
   */
  CompletableFuture<Appended> append(NewEvent event);
}
