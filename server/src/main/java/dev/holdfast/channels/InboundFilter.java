package dev.holdfast.channels;

import dev.holdfast.api.InboundMessage;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.Set;

/**
 * Decides which verified messages become events; the others are counted and acknowledged.
 * Immutable, thread-safe.
 *
 * @param allow the senders that are answered; {@code *} stands for everybody
 * @param own the platform's ids of the account itself, so that it never answers its own posts
 */
public record InboundFilter(
    String channel, Set<String> allow, Set<String> own, MeterRegistry metrics) {
  private static final String EVERYBODY = "*";

  /** What becomes of a message. */
  public enum Outcome {
    TAKEN,
    EMPTY,
    NOT_ALLOWED,
    OWN_ECHO
  }

  public InboundFilter {
    allow = Set.copyOf(allow);
    own = Set.copyOf(own);
  }

  /** Whether the message becomes an event; counts it when it does not. */
  public boolean takes(InboundMessage message) {
    Outcome outcome = outcome(message);
    if (outcome != Outcome.TAKEN) {
      metrics
          .counter(
              "holdfast.messages.filtered",
              "channel",
              channel,
              "reason",
              outcome.name().toLowerCase(Locale.ROOT))
          .increment();
    }
    return outcome == Outcome.TAKEN;
  }

  Outcome outcome(InboundMessage message) {
    if (own.contains(message.sender())) {
      return Outcome.OWN_ECHO;
    }
    if (!allow.contains(EVERYBODY) && !allow.contains(message.sender())) {
      return Outcome.NOT_ALLOWED;
    }
    if (message.text().isBlank() && message.attachments().isEmpty()) {
      return Outcome.EMPTY;
    }
    return Outcome.TAKEN;
  }
}
