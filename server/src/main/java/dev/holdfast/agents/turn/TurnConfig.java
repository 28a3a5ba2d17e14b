package dev.holdfast.agents.turn;

import static java.time.Duration.ofSeconds;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/** The {@code turn} section of holdfast.yaml. */
public record TurnConfig(
    int roundsMax,
    Duration timeout,
    Duration parkTtl,
    Duration stuck,
    int sameCallMax,
    boolean errorReplies) {
  public TurnConfig {
    Check.inRange("max_rounds", roundsMax, 1, 1000);
    Check.atLeast("timeout_secs", timeout, ofSeconds(1));
    Check.inRange("same_call_max", sameCallMax, 2, 1000);
    Check.atLeast("park_ttl_secs", parkTtl, ofSeconds(1));
    Check.atLeast("stuck_secs", stuck, ofSeconds(1));
  }

  public static TurnConfig from(Section turn) {
    return new TurnConfig(
        turn.whole("max_rounds", 25),
        turn.seconds("timeout_secs", 900),
        turn.seconds("park_ttl_secs", 86_400),
        turn.seconds("stuck_secs", 60),
        turn.whole("same_call_max", 5),
        turn.flag("error_replies", true));
  }
}
