package dev.holdfast.channels;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.util.Set;

/**
 * The server's own chat page and API. Its messages come in by the API, never by a webhook, and its
 * replies need no posting: a reader looks into the log by itself.
 */
public final class WebChannel implements ChannelAdapter {
  public static final String CHANNEL = "web";
  public static final String ACCOUNT = "main";

  /** One page shows any answer whole; no answer of a model is longer. */
  private static final int TEXT_UNITS_MAX = 10_000_000;

  @Override
  public String channel() {
    return CHANNEL;
  }

  @Override
  public Set<String> accounts() {
    return Set.of(ACCOUNT);
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) {
    return new WebhookVerdict.NoAccount();
  }

  @Override
  public int textUnitsMax() {
    return TEXT_UNITS_MAX;
  }

  @Override
  public boolean posts() {
    return false;
  }

  /** What is in the outbox is already where its readers look. */
  @Override
  public PostOutcome post(OutboundReply reply) {
    return new PostOutcome.Sent("");
  }
}
