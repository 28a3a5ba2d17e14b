package dev.holdfast.channels;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.util.Objects;
import java.util.concurrent.Semaphore;

/**
 * A channel that is there. It is called only while a use of it is held.
 *
 * @param receives the places of {@link #receiveInTurn}
 */
public record Channel(ChannelFacts facts, ChannelAdapter adapter, Semaphore receives) {
  private static final int RECEIVES_MAX = 64;

  Channel(ChannelFacts facts, ChannelAdapter adapter) {
    this(facts, adapter, new Semaphore(RECEIVES_MAX, true));
  }

  /** As {@link ChannelAdapter#receive}; never null. */
  public WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    return Objects.requireNonNull(adapter.receive(request), "the verdict");
  }

  /** The same, of which 64 run at once: waits for its turn. */
  public WebhookVerdict receiveInTurn(WebhookRequest request) throws InterruptedException {
    receives.acquire();
    try {
      return receive(request);
    } finally {
      receives.release();
    }
  }

  /** As {@link ChannelAdapter#find}; never null. */
  public FindOutcome find(OutboundReply reply) throws InterruptedException {
    return Objects.requireNonNull(adapter.find(reply), "the outcome");
  }

  /** As {@link ChannelAdapter#post}; what is not posted is already where its readers look. */
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return facts.posts()
        ? Objects.requireNonNull(adapter.post(reply), "the outcome")
        : new PostOutcome.Sent("");
  }
}
