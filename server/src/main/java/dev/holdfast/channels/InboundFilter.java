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
  private static final String ANYBODY = "*";

  /** What becomes of a message. */
  public enum Fate {
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
    Fate fate = fate(message);
    if (fate != Fate.TAKEN) {
      metrics
          .counter(
              "holdfast.messages.filtered",
              "channel",
              channel,
              "reason",
              fate.name().toLowerCase(Locale.ROOT))
          .increment();
    }
    return fate == Fate.TAKEN;
  }

  Fate fate(InboundMessage message) {
    if (own.contains(message.sender())) {
      return Fate.OWN_ECHO;
    }
    if (!allow.contains(ANYBODY) && !allow.contains(message.sender())) {
      return Fate.NOT_ALLOWED;
    }
    if (message.text().isBlank() && message.attachments().isEmpty()) {
      return Fate.EMPTY;
    }
    return Fate.TAKEN;
  }
}
