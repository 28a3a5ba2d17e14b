package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.time.Duration;
import java.util.Set;

/** A plugin's channel as the server sees it. What it says of itself is asked for once. */
final class HostedChannel implements ChannelAdapter {
  /** A platform must have an answer within 3 s. */
  private static final Duration RECEIVE_MAX = Duration.ofMillis(2500);

  private static final Duration POST_MAX = Duration.ofMinutes(2);

  private final ChannelAdapter channel;
  private final PluginCalls calls;
  private final Facts facts;

  private record Facts(
      String name, Set<String> accounts, int textUnitsMax, boolean posts, boolean dropsRepeats) {}

  private HostedChannel(ChannelAdapter channel, PluginCalls calls, Facts facts) {
    this.channel = channel;
    this.calls = calls;
    this.facts = facts;
  }

  /** Asks it what it is; to be called on a thread of the plugin. */
  static HostedChannel of(ChannelAdapter channel, PluginCalls calls) {
    return new HostedChannel(
        channel,
        calls,
        new Facts(
            channel.channel(),
            Set.copyOf(channel.accounts()),
            channel.textUnitsMax(),
            channel.posts(),
            channel.dropsRepeats()));
  }

  @Override
  public String channel() {
    return facts.name();
  }

  @Override
  public Set<String> accounts() {
    return facts.accounts();
  }

  @Override
  public int textUnitsMax() {
    return facts.textUnitsMax();
  }

  @Override
  public boolean posts() {
    return facts.posts();
  }

  @Override
  public boolean dropsRepeats() {
    return facts.dropsRepeats();
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) {
    try {
      return calls.call("receive", RECEIVE_MAX, () -> channel.receive(request));
    } catch (PluginFailedException | CallFailedException e) {
      throw new IllegalStateException("the channel failed: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the channel was interrupted", e);
    }
  }

  /** Whatever goes wrong in the plugin, nobody knows whether the platform has the reply. */
  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    try {
      return calls.call("post", POST_MAX, () -> channel.post(reply));
    } catch (CallFailedException e) {
      return new PostOutcome.Unknown(e.failure());
    } catch (PluginFailedException e) {
      return new PostOutcome.Unknown(
          Failure.of(FailureCode.BACKEND_FAILURE, "the channel failed: " + e.getMessage()));
    }
  }
}
