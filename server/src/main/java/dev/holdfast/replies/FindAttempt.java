package dev.holdfast.replies;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.channels.Channel;
import dev.holdfast.resilience.Call;
import dev.holdfast.resilience.CallOutcome;
import dev.holdfast.resilience.Verdict;
import dev.holdfast.supervision.Crash;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One look into a platform's history, as the guard of the posts sees it. Used by one thread. */
final class FindAttempt implements Call<FindOutcome> {
  private static final Logger LOG = LoggerFactory.getLogger(FindAttempt.class);

  private final Channel channel;
  private final OutboundReply reply;
  private boolean begun;

  FindAttempt(Channel channel, OutboundReply reply) {
    this.channel = channel;
    this.reply = reply;
  }

  @Override
  public FindOutcome run() throws CallFailedException, InterruptedException {
    begun = true;
    FindOutcome outcome;
    try {
      outcome = channel.find(reply);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      LOG.error(
          "reply {}: the channel {} has a bug: {}",
          reply.id(),
          channel.facts().name(),
          Crash.describe(e));
      outcome =
          new FindOutcome.Failed(
              Failure.of(FailureCode.INTERNAL, "the channel failed unexpectedly"));
    }
    if (outcome instanceof FindOutcome.Failed(Failure failure)) {
      throw new CallFailedException(failure);
    }
    return outcome;
  }

  /** A history that fails says nothing of posts; a wait that it asks for holds them a little. */
  static Verdict judge(Failure failure) {
    return new Verdict(
        CallOutcome.NEUTRAL,
        failure.code() == FailureCode.RATE_LIMITED
            ? AccountVerdicts.OTHERS_WAIT_MAX
            : Duration.ZERO);
  }

  /** Whether the guard has let it through. */
  boolean wasBegun() {
    return begun;
  }
}
