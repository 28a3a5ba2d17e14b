package dev.holdfast.codingagent;

import java.time.Duration;

/**
 * How long a program may take.
 *
 * @param idle without a word
 * @param task for the task in all
 * @param ending how much of that is kept to end the program and to answer
 */
record TimeLimits(Duration idle, Duration task, Duration ending) {
  private static final Duration ENDING = Duration.ofSeconds(10);
  private static final Duration WORK_MIN = Duration.ofSeconds(1);

  /** {@code task}: after it the server ends everything. */
  static TimeLimits of(Duration idle, Duration task) {
    Duration most = task.minus(WORK_MIN);
    return new TimeLimits(idle, task, most.compareTo(ENDING) < 0 ? most : ENDING);
  }

  /** How long it may run. */
  Duration work() {
    return task.minus(ending);
  }
}
