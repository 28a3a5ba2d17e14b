package dev.holdfast.replies;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.channels.Channel;
import dev.holdfast.channels.Channels;
import dev.holdfast.registry.Use;
import dev.holdfast.resilience.CallOutcome;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.Verdict;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells people why their messages are not taken in: one try each, within the account's guard, and
 * no trace in the outbox. How it ends says nothing of the account, but a wait that the platform
 * asks for is kept. Thread-safe.
 */
public final class DirectPosts {
  static final Duration POST_MAX = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(DirectPosts.class);

  private final Channels channels;
  private final Function<String, PostGuard> guards;
  private final Time time;

  public DirectPosts(Channels channels, Guards guards, Time time) {
    this(
        channels,
        (String source) -> new PostGuard.OfGuard(guards.guard(Replies.guardName(source))),
        time);
  }

  DirectPosts(Channels channels, Function<String, PostGuard> guards, Time time) {
    this.channels = channels;
    this.guards = guards;
    this.time = time;
  }

  /**
   * Blocks for at most 10 s. Tries nothing while the account is absent or does not work.
   *
   * @param thread as its channel has it
   * @param inReplyTo the platform's id of what it is about; may be empty
   * @return whether the platform surely has it
   */
  public boolean post(String channel, String account, String thread, String inReplyTo, String text)
      throws InterruptedException {
    Optional<Use<Channel>> begun = channels.begin(channel);
    if (begun.isEmpty()) {
      return false;
    }
    try (Use<Channel> use = begun.get()) {
      Channel to = use.value();
      PostGuard guard = guards.apply(channel + ":" + account);
      boolean isPossible =
          to.facts().accounts().contains(account)
              && text.length() <= to.facts().textUnitsMax()
              && !guard.opensIn().isPositive()
              && !guard.isTrying();
      OutboundReply post =
          new OutboundReply(
              UUID.randomUUID().toString(),
              "",
              account,
              thread,
              inReplyTo,
              text,
              1,
              1,
              false,
              List.of(),
              List.of(),
              OutboundReply.Kind.ERROR);
      return isPossible && isPosted(to, guard, post);
    }
  }

  private boolean isPosted(Channel to, PostGuard guard, OutboundReply post)
      throws InterruptedException {
    try {
      return guard.probe(
          Deadline.in(time, POST_MAX),
          () -> posted(to, post),
          _ -> new Verdict(CallOutcome.NEUTRAL, AccountVerdicts.OTHERS_WAIT_MAX));
    } catch (CallFailedException e) {
      LOG.debug("channel {}: a sentence was not posted: {}", to.facts().name(), e.getMessage());
      return false;
    }
  }

  private static boolean posted(Channel to, OutboundReply post)
      throws CallFailedException, InterruptedException {
    PostOutcome outcome;
    try {
      outcome = to.post(post);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      LOG.error("channel {}: has a bug in its posts", to.facts().name(), e);
      throw new CallFailedException(
          Failure.of(FailureCode.INTERNAL, "the channel failed unexpectedly"), e);
    }
    return switch (outcome) {
      case PostOutcome.Sent _ -> true;
      case PostOutcome.NotDelivered(Failure failure) -> throw new CallFailedException(failure);
      case PostOutcome.Unknown(Failure failure) -> throw new CallFailedException(failure);
    };
  }
}
