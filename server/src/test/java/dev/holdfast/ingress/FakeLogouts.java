package dev.holdfast.ingress;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.login.Logouts;
import dev.holdfast.store.engine.StoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Logouts in memory, for as long as the test keeps them. */
public final class FakeLogouts implements Logouts {
  private final List<Logout> all = new CopyOnWriteArrayList<>();
  public volatile boolean fails;

  @Override
  public List<Logout> load() {
    return List.copyOf(all);
  }

  @Override
  public CompletableFuture<?> write(Logout logout) {
    if (fails) {
      return CompletableFuture.failedFuture(
          new StoreException(Failure.of(FailureCode.OVERLOADED, "the disk is full")));
    }
    all.add(logout);
    return CompletableFuture.completedFuture(logout);
  }
}
