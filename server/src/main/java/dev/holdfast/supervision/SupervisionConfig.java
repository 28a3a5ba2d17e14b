package dev.holdfast.supervision;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * The {@code supervision} section of holdfast.yaml.
 *
 * @param restarts of the parts of the server
 * @param heartbeat how often extensions and worker agents are asked for a sign of life
 * @param heartbeatTimeout how long they may take over that
 * @param heartbeatsMissed after so many in a row they are killed
 * @param repair how often what was given up is tried again
 * @param reviewCooldown how long after a decision about an agent that fails too often none follows
 */
public record SupervisionConfig(
    RestartLimit restarts,
    Duration heartbeat,
    Duration heartbeatTimeout,
    int heartbeatsMissed,
    Duration repair,
    Duration reviewCooldown) {
  public static final SupervisionConfig DEFAULT =
      new SupervisionConfig(
          RestartLimit.DEFAULT,
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          3,
          Duration.ofSeconds(60),
          Duration.ofMinutes(10));

  public SupervisionConfig {
    Check.inRange("heartbeat_secs", heartbeat, Duration.ofSeconds(1), Duration.ofHours(1));
    Check.inRange(
        "heartbeat_timeout_secs", heartbeatTimeout, Duration.ofSeconds(1), Duration.ofMinutes(10));
    Check.inRange("missed_heartbeats", heartbeatsMissed, 1, 100);
    Check.inRange("repair_secs", repair, Duration.ofSeconds(1), Duration.ofHours(1));
    Check.inRange(
        "review_cooldown_secs", reviewCooldown, Duration.ofSeconds(1), Duration.ofDays(7));
  }

  public static SupervisionConfig from(Section supervision) {
    return new SupervisionConfig(
        RestartLimit.from(supervision),
        supervision.seconds("heartbeat_secs", DEFAULT.heartbeat.toSeconds()),
        supervision.seconds("heartbeat_timeout_secs", DEFAULT.heartbeatTimeout.toSeconds()),
        supervision.whole("missed_heartbeats", DEFAULT.heartbeatsMissed),
        supervision.seconds("repair_secs", DEFAULT.repair.toSeconds()),
        supervision.seconds("review_cooldown_secs", DEFAULT.reviewCooldown.toSeconds()));
  }
}
