package dev.holdfast.time;

import java.time.Duration;
import java.time.Instant;

/**
 * The clock, sleep and timers as one injected thing, so that tests move time by hand. Thread-safe.
 */
public interface Time {
  /**
   * The wall clock: for windows of signatures, ages of replies and what people read. It may jump.
   */
  Instant now();

  /** A clock that never jumps, in nanoseconds: for deadlines and durations. */
  long nanos();

  /** Blocks the calling thread. */
  void sleep(Duration wait) throws InterruptedException;

  /** Runs {@code task} once on a virtual thread of its own, after {@code wait}. */
  Timer after(Duration wait, Runnable task);

  /** A task that waits for its time. */
  interface Timer {
    /** Has no effect once the task has started. */
    void cancel();
  }
}
