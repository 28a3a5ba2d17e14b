package dev.holdfast.channels;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The one way by which messages of channels become events. */
public interface MessageAcceptance {
  /**
   * Returns at once; completes after the commit, on any thread, also for what is known or empty.
   * Fails with a {@link dev.holdfast.api.CallFailedException} when it was not accepted.
   */
  CompletableFuture<?> take(String channel, InboundMessage message);

  /** Counts messages that a filter has dropped. */
  void dropped(String channel, List<DropReason> reasons);

  /** Counts a message that can never be accepted. */
  void refused(String channel);
}
