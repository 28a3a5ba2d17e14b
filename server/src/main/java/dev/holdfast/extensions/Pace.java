package dev.holdfast.extensions;

import dev.holdfast.supervision.SupervisionConfig;
import java.time.Duration;

/**
 * How often children are looked after.
 *
 * @param heartbeat how often a child is asked for a sign of life
 * @param heartbeatTimeout how long it may take over that
 * @param misses after so many in a row it is killed
 * @param settle after a change of a tool list, how long further ones are waited for
 * @param repair how often what was parked is tried again
 */
public record Pace(
    Duration heartbeat, Duration heartbeatTimeout, int misses, Duration settle, Duration repair) {
  public static final Pace USUAL = of(SupervisionConfig.DEFAULT);

  /** As an operator has set it. */
  public static Pace of(SupervisionConfig config) {
    return new Pace(
        config.heartbeat(),
        config.heartbeatTimeout(),
        config.heartbeatsMissed(),
        Duration.ofMillis(200),
        config.repair());
  }
}
