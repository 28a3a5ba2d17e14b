package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import java.util.Optional;

/** Decides whether new events may come in now. Thread-safe. */
final class Admission {
  private final Engine engine;
  private final int pendingMax;
  private volatile boolean stopped;

  Admission(Engine engine, int pendingMax) {
    this.engine = engine;
    this.pendingMax = pendingMax;
  }

  void stop() {
    stopped = true;
  }

  int pendingMax() {
    return pendingMax;
  }

  StoreException tooMany() {
    return StoreException.overloaded(pendingMax + " events are waiting, which is the limit", 10);
  }

  Optional<StoreException> check() {
    // The number of open events is checked by the writer, exactly, and after the redeliveries.
    String refusal = diskRefusal();
    return refusal.isEmpty()
        ? Optional.empty()
        : Optional.of(StoreException.overloaded(refusal, stopped ? 5 : 30));
  }

  /** Why nothing new is taken; empty when it is. */
  String refusal() {
    String disk = diskRefusal();
    if (!disk.isEmpty()) {
      return disk;
    }
    return MessageCounters.open(engine) >= pendingMax
        ? pendingMax + " events are waiting, which is the limit"
        : "";
  }

  private String diskRefusal() {
    return stopped && engine.failStop().cause() == null
        ? "the server is stopping"
        : engine.refusal();
  }
}
