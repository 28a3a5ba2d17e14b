package dev.holdfast.replies;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.util.Set;

/** Another channel, of which a test changes something. */
class ForwardingChannel implements ChannelAdapter {
  private final ChannelAdapter to;

  ForwardingChannel(ChannelAdapter to) {
    this.to = to;
  }

  @Override
  public String channel() {
    return to.channel();
  }

  @Override
  public Set<String> accounts() {
    return to.accounts();
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    return to.receive(request);
  }

  @Override
  public int textUnitsMax() {
    return to.textUnitsMax();
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return to.post(reply);
  }
}
