package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import org.jspecify.annotations.Nullable;

/**
 * A place where calls leave the server, and where a drill makes them fail. Without a fault a call
 * costs one volatile read. Thread-safe.
 */
public final class FaultPoint {
  private volatile @Nullable Fault fault;

  /** Happens to a call in place of what it was made for. */
  @FunctionalInterface
  public interface Fault {
    /**
     * Returns to spare the call; may block, and an interrupt ends it.
     *
     * @param target what is called, as the owner of the place names it
     */
    void strike(String target) throws CallFailedException, InterruptedException;
  }

  /** To be called just before the call goes out. */
  public void pass(String target) throws CallFailedException, InterruptedException {
    Fault now = fault;
    if (now != null) {
      now.strike(target);
    }
  }

  /** From now on it happens to each call. */
  public void inject(Fault happens) {
    fault = happens;
  }

  /** Calls go out again; one that the fault has caught stays with it. */
  public void clear() {
    fault = null;
  }
}
