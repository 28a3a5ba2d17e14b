package dev.holdfast.ingress.webhooks;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what strangers may occupy before they have proved who they are: requests whose bodies are
 * being read. Shared by all event loops. Thread-safe.
 */
final class StrangerBudget {
  private final int requestsMax;
  private final long bytesMax;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  /** {@code bytesMax}: of all bodies together that are announced and not yet verified. */
  StrangerBudget(int requestsMax, long bytesMax) {
    this.requestsMax = requestsMax;
    this.bytesMax = bytesMax;
  }

  /** False: too many at once; then nothing is to be given back. */
  boolean take(long announced) {
    int requestsNow = requests.incrementAndGet();
    long bytesNow = bytes.addAndGet(announced);
    boolean fits = requestsNow <= requestsMax && bytesNow <= bytesMax;
    if (!fits) {
      give(announced);
    }
    return fits;
  }

  void give(long announced) {
    requests.decrementAndGet();
    bytes.addAndGet(-announced);
  }
}
