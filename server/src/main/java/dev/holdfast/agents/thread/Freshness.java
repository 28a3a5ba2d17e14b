package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.time.Time;
import java.time.Duration;

/**
 * Tells messages that have just come from those that have waited.
 *
 * @param acceptedBefore events up to this number were accepted before this process began
 */
public record Freshness(Time time, long acceptedBefore) {
  /** A message that has waited longer stands in line with the others that wait. */
  private static final Duration FRESH_MAX = Duration.ofSeconds(5);

  boolean of(Incoming incoming) {
    return incoming.seq() > acceptedBefore
        && incoming.event().receivedAt().isAfter(time.now().minus(FRESH_MAX));
  }
}
