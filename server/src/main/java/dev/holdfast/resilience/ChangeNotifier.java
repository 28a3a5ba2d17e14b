package dev.holdfast.resilience;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners of a breaker's changes in their order without holding a lock: changes are
 * remembered under the breaker's lock and told after it, by one thread at a time.
 */
final class ChangeNotifier {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeNotifier.class);

  private final String name;
  private final List<Consumer<BreakerView>> listeners = new CopyOnWriteArrayList<>();
  private final Queue<BreakerView> changes = new ConcurrentLinkedQueue<>();
  private final AtomicInteger calls = new AtomicInteger();

  ChangeNotifier(String name) {
    this.name = name;
  }

  void add(Consumer<BreakerView> listener) {
    listeners.add(listener);
  }

  /** Tells nobody any more. */
  void close() {
    listeners.clear();
  }

  void enqueue(BreakerView change) {
    changes.add(change);
  }

  /** Whoever finds the listeners busy leaves its change to the thread that is at it. */
  void notifyListeners() {
    if (changes.isEmpty() || calls.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      for (BreakerView change = changes.poll(); change != null; change = changes.poll()) {
        notifyListeners(change);
      }
      seen = calls.addAndGet(-seen);
    } while (seen != 0);
  }

  private void notifyListeners(BreakerView change) {
    for (Consumer<BreakerView> listener : listeners) {
      try {
        listener.accept(change);
      } catch (RuntimeException e) {
        // A listener's bug must not become the failure of the call that happened to move the
        // breaker.
        LOG.error("{}: a listener to the breaker failed with {}", name, e.getClass().getName());
      }
    }
  }
}
