package dev.holdfast.agents;

import java.util.Optional;

/** A turn that can be ended from outside. Thread-safe. */
final class RunningTurn {
  /** Who ends a turn. The first one counts. */
  enum Cancel {
    STOP,
    TIMEOUT,
    SHUTDOWN
  }

  private final Thread thread = Thread.currentThread();
  private Optional<Cancel> cancel = Optional.empty();
  private boolean over;

  /** Interrupts the turn, once; false when it is over already or was cancelled before. */
  synchronized boolean cancel(Cancel why) {
    if (over || cancel.isPresent()) {
      return false;
    }
    cancel = Optional.of(why);
    thread.interrupt();
    return true;
  }

  /** From here on no interrupt comes; clears one that has come. Empty when nobody cancelled. */
  synchronized Optional<Cancel> close() {
    over = true;
    Thread.interrupted();
    return cancel;
  }
}
