package dev.holdfast.store.messages;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * The {@code inbox} section of holdfast.yaml.
 *
 * @param pendingMax open events (pending, running, parked) above which new ones are refused
 * @param commitEventsMax the most operations that share one fsync
 * @param commitWaitMax how long a commit waits for more, when many are likely to come
 * @param dedupeTime how long a finished event, and with it the memory of its key, is kept
 * @param attemptsMax runs of one event that may end in a crash before it is given up
 */
public record InboxConfig(
    int pendingMax,
    int commitEventsMax,
    Duration commitWaitMax,
    Duration dedupeTime,
    int attemptsMax) {
  public InboxConfig {
    Check.inRange("max_pending", pendingMax, 1, 100_000_000);
    Check.inRange("commit_max_events", commitEventsMax, 1, 10_000);
    Check.inRange("commit_max_wait_ms", commitWaitMax.toMillis(), 0, 1000);
    Check.inRange("dedupe_hours", dedupeTime.toHours(), 1, 24 * 366);
    Check.inRange("max_attempts", attemptsMax, 1, 1000);
  }

  public static InboxConfig from(Section inbox) {
    return new InboxConfig(
        inbox.whole("max_pending", 1_000_000),
        inbox.whole("commit_max_events", 512),
        inbox.millis("commit_max_wait_ms", 2),
        inbox.hours("dedupe_hours", 168),
        inbox.whole("max_attempts", 3));
  }
}
