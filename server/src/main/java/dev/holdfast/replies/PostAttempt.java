package dev.holdfast.replies;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.channels.Channel;
import dev.holdfast.net.UnsentInterruptedException;
import dev.holdfast.resilience.Call;
import dev.holdfast.store.engine.StoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One post, as the guard sees it. The store hears of it inside of the guard, so that a post which
 * the guard does not let through leaves no trace; and the store's own failure is not held against
 * the platform. Used by one thread.
 */
final class PostAttempt implements Call<Boolean> {
  private static final Logger LOG = LoggerFactory.getLogger(PostAttempt.class);

  private final Channel channel;
  private final OutboundReply reply;
  private final StoreCall before;
  private final StopInterrupt stopInterrupt;
  private @Nullable PostOutcome outcome;
  private @Nullable StoreException storeFailure;

  /** A change in the store. */
  @FunctionalInterface
  interface StoreCall {
    void run() throws StoreException;
  }

  /** {@code before}: what must be durable before the first byte goes out. */
  PostAttempt(Channel channel, OutboundReply reply, StoreCall before, StopInterrupt stopInterrupt) {
    this.channel = channel;
    this.reply = reply;
    this.before = before;
    this.stopInterrupt = stopInterrupt;
  }

  @Override
  public Boolean run() throws CallFailedException, InterruptedException {
    stopInterrupt.enterStore();
    try {
      before.run();
    } catch (StoreException e) {
      storeFailure = e;
      throw new CallFailedException(Failure.of(FailureCode.CANCELLED, "the store refused"), e);
    }
    outcome = notBegun();
    stopInterrupt.leaveStore();
    if (Thread.interrupted()) {
      throw new InterruptedException(); // the deadline's, while a slow disk took the change
    }
    outcome = lost(FailureCode.CANCELLED, "stopped while posting");
    try {
      outcome = post();
    } catch (UnsentInterruptedException e) {
      outcome = notBegun();
      throw e;
    }
    return switch (outcome) {
      case PostOutcome.Sent _ -> true;
      case PostOutcome.NotDelivered(Failure failure) -> throw new CallFailedException(failure);
      case PostOutcome.Unknown(Failure failure) -> throw new CallFailedException(failure);
    };
  }

  private PostOutcome post() throws InterruptedException {
    try {
      return channel.post(reply);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      LOG.error("reply {}: the channel {} has a bug", reply.id(), channel.facts().name(), e);
      return lost(FailureCode.INTERNAL, "the channel failed unexpectedly");
    }
  }

  private static PostOutcome notBegun() {
    return new PostOutcome.NotDelivered(
        Failure.of(FailureCode.CANCELLED, "stopped before posting").as(FailureKind.TRANSIENT));
  }

  private static PostOutcome lost(FailureCode code, String message) {
    return new PostOutcome.Unknown(Failure.of(code, message));
  }

  Channel channel() {
    return channel;
  }

  /** How the post ended; null when it was not begun, because the guard or the store refused. */
  @Nullable PostOutcome outcome() {
    return outcome;
  }

  @Nullable StoreException storeFailure() {
    return storeFailure;
  }
}
