package dev.holdfast.ingress.webhooks;

import dev.holdfast.store.messages.Appended;
import dev.holdfast.store.messages.NewEvent;
import java.util.concurrent.CompletableFuture;

/** Where accepted events go: the inbox. */
@FunctionalInterface
public interface InboxIntake {
  /**
   * Returns at once; completes after the commit, on any thread, or fails with a {@link
   * dev.holdfast.store.engine.StoreException}.
   */
  CompletableFuture<Appended> append(NewEvent event);
}
