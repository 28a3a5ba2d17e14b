package dev.holdfast.bus;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs a task after each signal: never twice at once, and once more for all signals that come while
 * it runs. No thread is held between the signals. Thread-safe.
 */
final class SignalledTask {
  private final Executor executor;
  private final Runnable task;
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

  private enum State {
    IDLE,
    RUNNING,
    RUNNING_AND_SIGNALLED
  }

  /** {@code task}: must not throw. */
  SignalledTask(Executor executor, Runnable task) {
    this.executor = executor;
    this.task = task;
  }

  /** Never blocks, unless the executor runs the task in place. */
  void signal() {
    if (state.get() == State.RUNNING_AND_SIGNALLED) {
      return;
    }
    State before =
        state.getAndUpdate(now -> now == State.IDLE ? State.RUNNING : State.RUNNING_AND_SIGNALLED);
    if (before == State.IDLE) {
      executor.execute(this::run);
    }
  }

  private void run() {
    do {
      state.set(State.RUNNING);
      task.run();
    } while (!state.compareAndSet(State.RUNNING, State.IDLE));
  }
}
