package dev.holdfast.models;

import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** One question on its way through the models: has anybody said a word yet? */
final class ModelSelection implements AutoCloseable {
  private final AnswerListener listener;
  private final Time.Timer timer;

  /** Set by the first of: a first token, the slow notice, the end. */
  private final AtomicBoolean settled = new AtomicBoolean();

  ModelSelection(AnswerListener listener, Time time, Duration parkAfter) {
    this.listener = listener;
    this.timer = time.after(parkAfter, this::slow);
  }

  AnswerListener listener() {
    return listener;
  }

  /** A token came, of whatever kind. */
  void heard() {
    settled.set(true);
  }

  @Override
  public void close() {
    settled.set(true);
    timer.cancel();
  }

  private void slow() {
    if (settled.compareAndSet(false, true)) {
      listener.onSlow();
    }
  }
}
