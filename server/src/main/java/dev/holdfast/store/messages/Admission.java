package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreRefusal;
import dev.holdfast.store.engine.StoreRefusal.Cause;
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
    return StoreException.overloaded(fullText(), 10);
  }

  Optional<StoreException> check() {
    // The number of open events is checked by the writer, exactly, and after the redeliveries.
    return now().map(refusal -> StoreException.overloaded(refusal.message(), stopped ? 5 : 30));
  }

  /** Why no new event is taken; empty when one is. */
  Optional<StoreRefusal> refusal() {
    return now().or(this::full);
  }

  private Optional<StoreRefusal> full() {
    return MessageCounters.open(engine) >= pendingMax
        ? Optional.of(new StoreRefusal(Cause.FULL, fullText()))
        : Optional.empty();
  }

  private String fullText() {
    return pendingMax + " events are waiting, which is the limit";
  }

  /** Of what is checked before an event is queued. */
  private Optional<StoreRefusal> now() {
    return stopped && engine.failStop().cause() == null
        ? Optional.of(new StoreRefusal(Cause.STOPPING, "the server is stopping"))
        : engine.refusal();
  }
}
