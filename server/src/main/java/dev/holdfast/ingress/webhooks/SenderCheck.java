package dev.holdfast.ingress.webhooks;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import java.util.Optional;

/** Who is answered, asked before anything of a message is stored. */
@FunctionalInterface
public interface SenderCheck {
  /**
   * Why the message is dropped; empty when it is taken. May read the store, of channels that were
   * added alone: those are never called on an event loop.
   *
   * @param message within the limits of {@link InboundMessage}
   */
  Optional<DropReason> judge(String channel, InboundMessage message);
}
