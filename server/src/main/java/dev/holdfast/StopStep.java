package dev.holdfast;

import dev.holdfast.resilience.Deadline;
import java.io.IOException;
import java.time.Duration;

/**
 * One step of a stop and its window.
 *
 * @param name unique, for the log
 * @param min it has this long in any case; half of it is what it has to obey an interrupt
 * @param max it has no longer than this, however much time there is
 * @param share of the time that is free it may use this part, 0 to 1
 * @param mayInterrupt whether it is interrupted before its window ends; else it is only left behind
 * @param otherwise what becomes of what it has not ended, for the log
 */
record StopStep(
    String name,
    Duration min,
    Duration max,
    double share,
    boolean mayInterrupt,
    String otherwise,
    Work work) {
  private static final Duration CALL_MIN = Duration.ofMillis(100);
  private static final Duration CALL_MAX = Duration.ofSeconds(1);

  /** What a step does; runs on a thread of its own, which is interrupted when its time is over. */
  interface Work {
    /**
     * @param window its end is the moment of the interrupt
     * @return false when something is left that has not ended
     */
    boolean run(Deadline window) throws IOException, InterruptedException;
  }

  /** Work that has ended what it had to end when it returns. */
  interface Action {
    void run() throws IOException, InterruptedException;
  }

  /** A call that returns at once when all is well. */
  static StopStep call(String name, Action action) {
    return new StopStep(name, CALL_MIN, CALL_MAX, 1, true, "it ends with the process", all(action));
  }

  /** A wait for what ends by itself: without a minimum, because a later step cuts that off. */
  static StopStep waiting(String name, double share, Work work, String otherwise) {
    return new StopStep(name, Duration.ZERO, Duration.ofDays(1), share, true, otherwise, work);
  }

  /** The same, with a window of its own. */
  static StopStep waiting(String name, Duration max, Work work, String otherwise) {
    return new StopStep(name, Duration.ZERO, max, 1, true, otherwise, work);
  }

  static StopStep ending(String name, Duration min, Duration max, Action action, String otherwise) {
    return ending(name, min, max, all(action), otherwise);
  }

  static StopStep ending(String name, Duration min, Duration max, Work work, String otherwise) {
    return new StopStep(name, min, max, 1, true, otherwise, work);
  }

  /** The same, and never interrupted: half written would be worse than late. */
  StopStep uninterrupted() {
    return new StopStep(name, min, max, share, false, otherwise, work);
  }

  /** How long before the end of the window the interrupt comes. */
  Duration notice() {
    return min.dividedBy(2);
  }

  private static Work all(Action action) {
    return _ -> {
      action.run();
      return true;
    };
  }
}
