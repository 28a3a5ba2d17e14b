package dev.holdfast.replies;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * The {@code replies} section of holdfast.yaml.
 *
 * @param maxAttempts answered refusals (429, 503 and the like) after which a reply is given up
 * @param initialBackoff the wait after the first of them; doubled each time, at most 60 s
 * @param ttl an older reply is held for the operator instead of being posted
 */
public record RepliesConfig(
    int maxAttempts, Duration initialBackoff, Duration ttl, OnUnknown onUnknown) {
  public RepliesConfig {
    Check.inRange("max_attempts", maxAttempts, 1, 100);
    Check.inRange("initial_backoff_ms", initialBackoff.toMillis(), 1, 60_000);
    Check.inRange("ttl_secs", ttl.toSeconds(), 1, 31_536_000);
  }

  public static RepliesConfig from(Section replies) {
    return new RepliesConfig(
        replies.whole("max_attempts", 10),
        replies.millis("initial_backoff_ms", 1000),
        replies.seconds("ttl_secs", 3600),
        replies.choice("on_unknown", OnUnknown.class, OnUnknown.RESEND_ONCE));
  }
}
