package dev.holdfast.channels;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.resilience.FaultPoint;
import java.util.Objects;
import java.util.concurrent.Semaphore;

/**
 * A channel that is there. It is called only while a use of it is held.
 *
 * @param faults where posts go out
 * @param receives the places of {@link #receiveInTurn}
 * @param fetches the places of {@link #fetch}
 */
public record Channel(
    ChannelFacts facts,
    ChannelAdapter adapter,
    FaultPoint faults,
    Semaphore receives,
    Semaphore fetches) {
  private static final int RECEIVES_MAX = 64;

  /** A plugin has 64 places for calls of all kinds: posts do not wait for large files. */
  private static final int FETCHES_MAX = 16;

  Channel(ChannelFacts facts, ChannelAdapter adapter, FaultPoint faults) {
    this(
        facts,
        adapter,
        faults,
        new Semaphore(RECEIVES_MAX, true),
        new Semaphore(FETCHES_MAX, true));
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

  /** As {@link ChannelAdapter#fetch}, of which 16 run at once: waits for its turn. Never null. */
  public byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    fetches.acquire();
    try {
      return Objects.requireNonNull(adapter.fetch(account, attachment, bytesMax), "the file");
    } finally {
      fetches.release();
    }
  }

  /** As {@link ChannelAdapter#find}; never null. */
  public FindOutcome find(OutboundReply reply) throws InterruptedException {
    try {
      faults.pass(source(reply));
    } catch (CallFailedException e) {
      return new FindOutcome.Failed(e.failure());
    }
    return Objects.requireNonNull(adapter.find(reply), "the outcome");
  }

  /** As {@link ChannelAdapter#post}; what is not posted is already where its readers look. */
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    if (!facts.posts()) {
      return new PostOutcome.Sent("");
    }
    try {
      faults.pass(source(reply));
    } catch (CallFailedException e) {
      return new PostOutcome.NotDelivered(e.failure());
    }
    return Objects.requireNonNull(adapter.post(reply), "the outcome");
  }

  private String source(OutboundReply reply) {
    return facts.name() + ":" + reply.account();
  }
}
