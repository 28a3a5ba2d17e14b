package dev.holdfast.models;

import dev.holdfast.resilience.Guard;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One question on its way through the models: has anybody said a word yet? The time in which it
 * stands in line behind other calls says nothing about the models, and does not count.
 */
final class ModelSelection implements AutoCloseable {
  private final AnswerListener listener;
  private final Time time;
  private Time.Timer timer;

  /** When a question without a word is a slow one. */
  private long slowAt;

  /** Where the request that is to be made next may have to stand in line, and since when. */
  private Optional<Guard> line = Optional.empty();

  private long inLineSince;

  /** Whether the timer has come while the request stood in line. */
  private boolean postponed;

  /** Set by the first of: a first token, the slow notice, the end. */
  private final AtomicBoolean settled = new AtomicBoolean();

  ModelSelection(AnswerListener listener, Time time, Duration parkAfter) {
    this.listener = listener;
    this.time = time;
    this.slowAt = time.nanos() + parkAfter.toNanos();
    this.timer = time.after(parkAfter, this::due);
  }

  AnswerListener listener() {
    return listener;
  }

  /** The next request goes through this guard. */
  synchronized void enters(Guard guard) {
    leavesLine();
    line = Optional.of(guard);
    inLineSince = time.nanos();
  }

  /** A request begins, perhaps not the first one behind the guard. */
  synchronized void begins() {
    leavesLine();
    if (postponed) {
      postponed = false;
      again();
    }
  }

  private void leavesLine() {
    if (line.isPresent()) {
      slowAt += time.nanos() - inLineSince;
      line = Optional.empty();
    }
  }

  /** A token came, of whatever kind. */
  void heard() {
    settled.set(true);
  }

  @Override
  public void close() {
    settled.set(true);
    synchronized (this) {
      timer.cancel();
    }
  }

  private void due() {
    if (isSlow() && settled.compareAndSet(false, true)) {
      listener.onSlow();
    }
  }

  private synchronized boolean isSlow() {
    postponed = line.filter(guard -> guard.opensIn().isZero()).isPresent(); // it is well
    if (postponed) {
      return false;
    }
    boolean isSlow = line.isPresent() || time.nanos() >= slowAt;
    if (!isSlow && !settled.get()) {
      again();
    }
    return isSlow;
  }

  private void again() {
    timer = time.after(Duration.ofNanos(Math.max(0, slowAt - time.nanos())), this::due);
  }
}
