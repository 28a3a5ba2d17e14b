package dev.holdfast.tasks.workers;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;

/**
 * The {@code tasks} section of holdfast.yaml.
 *
 * @param runningMax attempts at once, of all agents together
 * @param openMax tasks that have not ended; beyond it no plan is accepted
 */
public record TaskLimits(int runningMax, int openMax) {
  public static final TaskLimits DEFAULT = new TaskLimits(16, 10_000);

  public TaskLimits {
    Check.inRange("max_running", runningMax, 1, 256);
    Check.inRange("max_open", openMax, 1, 1_000_000);
  }

  public static TaskLimits from(Section tasks) {
    return new TaskLimits(
        tasks.whole("max_running", DEFAULT.runningMax), tasks.whole("max_open", DEFAULT.openMax));
  }
}
