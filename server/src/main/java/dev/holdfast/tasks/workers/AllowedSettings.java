package dev.holdfast.tasks.workers;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Section;
import java.time.Duration;
import java.util.List;

/**
 * What the settings of an agent may be changed to without a person: its {@code reconfigure}
 * section.
 *
 * @param timeouts empty when its time limit stays
 * @param maxConcurrents empty when its number of attempts at once stays
 */
public record AllowedSettings(List<Duration> timeouts, List<Integer> maxConcurrents) {
  public static final AllowedSettings NONE = new AllowedSettings(List.of(), List.of());
  private static final String TIMEOUTS = "reconfigure.timeout_secs";
  private static final String CONCURRENTS = "reconfigure.max_concurrent";
  private static final int VALUES_MAX = 20;

  public AllowedSettings {
    timeouts = List.copyOf(timeouts);
    maxConcurrents = List.copyOf(maxConcurrents);
    checkCount(TIMEOUTS, timeouts);
    checkCount(CONCURRENTS, maxConcurrents);
    timeouts.forEach(each -> AgentSettings.checkTimeout(TIMEOUTS, each));
    maxConcurrents.forEach(each -> AgentSettings.checkMaxConcurrent(CONCURRENTS, each));
  }

  private static void checkCount(String key, List<?> values) {
    Check.that(
        values.size() <= VALUES_MAX,
        key,
        "must have at most " + VALUES_MAX + " values, got " + values.size());
  }

  public boolean isNone() {
    return timeouts.isEmpty() && maxConcurrents.isEmpty();
  }

  static AllowedSettings from(Section reconfigure, AllowedSettings base) {
    List<Integer> seconds = base.timeouts.stream().map(each -> (int) each.toSeconds()).toList();
    return new AllowedSettings(
        wholes(reconfigure, "timeout_secs", seconds).stream().map(Duration::ofSeconds).toList(),
        wholes(reconfigure, "max_concurrent", base.maxConcurrents));
  }

  private static List<Integer> wholes(Section section, String key, List<Integer> fallback) {
    return section.texts(key, fallback.stream().map(String::valueOf).toList()).stream()
        .map(text -> whole(key, text))
        .toList();
  }

  private static int whole(String key, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new RefusedValueException(
          "reconfigure." + key, key + " must be whole numbers, got " + text, e);
    }
  }
}
