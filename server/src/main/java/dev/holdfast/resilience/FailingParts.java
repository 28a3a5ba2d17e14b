package dev.holdfast.resilience;

import java.util.HashSet;
import java.util.Set;

/**
 * The parts of a dependency, as the conversations of an account, that have failed since one of them
 * succeeded. One speaks for itself alone, several speak for the whole. Thread-safe.
 */
public final class FailingParts {
  /** So many different ones are taken for the whole dependency. */
  public static final int ENOUGH = 3;

  private final Set<String> failing = new HashSet<>();

  /** Whether the failure of this part makes them enough; then the count begins anew. */
  public synchronized boolean areEnoughWith(String part) {
    failing.add(part);
    if (failing.size() < ENOUGH) {
      return false;
    }
    failing.clear();
    return true;
  }

  /** One of them works. */
  public synchronized void succeeded() {
    failing.clear();
  }
}
