package dev.holdfast.ingress;

import dev.holdfast.store.messages.Ownership;
import dev.holdfast.store.messages.ThreadOwners;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Owners in memory; a thread that nobody claimed is fresh. */
public final class FakeThreadOwners implements ThreadOwners {
  private final Map<String, Ownership> all = new ConcurrentHashMap<>();

  @Override
  public Ownership find(String threadId) {
    return all.getOrDefault(threadId, new Ownership.Fresh());
  }

  @Override
  public Ownership claim(String threadId, String owner, boolean shared) {
    all.putIfAbsent(threadId, new Ownership.Owned(owner, shared));
    return find(threadId);
  }

  @Override
  public void share(String threadId, boolean shared) {
    all.computeIfPresent(
        threadId,
        (_, whose) ->
            whose instanceof Ownership.Owned(String owner, _)
                ? new Ownership.Owned(owner, shared)
                : whose);
  }
}
