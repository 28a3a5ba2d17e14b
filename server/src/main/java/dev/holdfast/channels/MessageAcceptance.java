package dev.holdfast.channels;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The one way by which messages of channels become events. */
public interface MessageAcceptance {
  /**
   * Completes after the commit, on any thread, also for what is known, empty or not allowed, which
   * is counted and leaves nothing behind. Returns before; for an account that says who is answered
   * it may wait for a read of the store. Fails with a {@link dev.holdfast.api.CallFailedException}
   * when it was not accepted.
   */
  CompletableFuture<?> take(String channel, InboundMessage message);

  /**
   * Decides what a click means; blocks until that is on disk. A second time does no harm.
   *
   * @return what to tell the person who clicked
   * @throws dev.holdfast.api.CallFailedException when the store refuses: it decided nothing
   */
  String clicked(String channel, Click click) throws CallFailedException, InterruptedException;

  /** Counts messages that a filter has dropped. */
  void dropped(String channel, List<DropReason> reasons);

  /** Counts a message that can never be accepted. */
  void refused(String channel);
}
