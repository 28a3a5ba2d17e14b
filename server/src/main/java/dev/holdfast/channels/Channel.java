package dev.holdfast.channels;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.util.Objects;

/** A channel that is there. It is called only while a use of it is held. */
public record Channel(ChannelFacts facts, ChannelAdapter adapter) {
  /** As {@link ChannelAdapter#receive}; never null. */
  public WebhookVerdict receive(WebhookRequest request) {
    return Objects.requireNonNull(adapter.receive(request), "the verdict");
  }

  /** As {@link ChannelAdapter#post}; what is not posted is already where its readers look. */
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return facts.posts()
        ? Objects.requireNonNull(adapter.post(reply), "the outcome")
        : new PostOutcome.Sent("");
  }
}
