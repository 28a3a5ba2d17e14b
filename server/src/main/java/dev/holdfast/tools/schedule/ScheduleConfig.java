package dev.holdfast.tools.schedule;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * The {@code tools.schedule} section of holdfast.yaml.
 *
 * @param perThreadMax active wake-ups of one chat thread
 * @param periodMin the shortest time between two firings of one wake-up
 */
public record ScheduleConfig(boolean enabled, int perThreadMax, Duration periodMin) {
  public ScheduleConfig {
    Check.inRange("max_per_thread", perThreadMax, 1, 10_000);
    Check.inRange("min_period_secs", periodMin, Duration.ofSeconds(1), Duration.ofDays(1));
  }

  public static ScheduleConfig from(Section schedule) {
    return new ScheduleConfig(
        schedule.flag("enabled", true),
        schedule.whole("max_per_thread", 20),
        schedule.seconds("min_period_secs", 60));
  }
}
