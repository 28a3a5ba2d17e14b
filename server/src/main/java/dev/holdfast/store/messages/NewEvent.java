package dev.holdfast.store.messages;

import java.time.Instant;

/**
 * An event to accept.
 *
 * @param source where it came in, {@code channel:account}; the dedupe key is unique within it
 * @param threadId the key of order: events of one thread are handed out one after the other
 * @param dedupeKey the sender's own id of the event; {@link #OWN} begins those of no sender
 * @param payload opaque to the store
 */
public record NewEvent(
    String source, String threadId, String dedupeKey, String payload, Instant receivedAt) {
  /**
   * What the keys of events that the server makes by itself begin with, so that no sender can take
   * the place of one.
   */
  public static final String OWN = "holdfast:";
}
