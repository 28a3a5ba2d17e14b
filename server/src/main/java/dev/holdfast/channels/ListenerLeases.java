package dev.holdfast.channels;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Who listens with which token: one at a time. Thread-safe. */
final class ListenerLeases {
  private final Map<String, String> holders = new HashMap<>();

  /** Waits until nobody has the lease, and takes it. */
  synchronized void acquire(String lease, String source) throws InterruptedException {
    while (holders.containsKey(lease)) {
      wait();
    }
    holders.put(lease, source);
  }

  synchronized void release(String lease) {
    holders.remove(lease);
    notifyAll();
  }

  synchronized Optional<String> holder(String lease) {
    return Optional.ofNullable(holders.get(lease));
  }
}
