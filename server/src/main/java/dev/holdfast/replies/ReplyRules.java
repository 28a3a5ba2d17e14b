package dev.holdfast.replies;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a reply is posted, and what becomes of it then. Pure: the same reply at the same time always
 * fares the same.
 *
 * @param since when the channel was added: what waited for it is not too old for that
 * @param dropsRepeats whether the platform drops a post that it has already got
 * @param findsPosts whether the platform's history tells if a post arrived
 * @param paced how long the account has had to wait since the reply was planned, because the
 *     platform asked for it
 */
record ReplyRules(
    RepliesConfig config, Instant since, boolean dropsRepeats, boolean findsPosts, Duration paced) {
  static final Duration BACKOFF_MAX = Duration.ofMinutes(1);
  private static final Duration FIND_EVERY = Duration.ofSeconds(30);
  private static final Duration RETRY_AFTER_MAX = AccountVerdicts.WAIT_MAX;

  /** For a channel that was always there, and takes whatever it is sent. */
  ReplyRules(RepliesConfig config) {
    this(config, Instant.MIN, false, false, Duration.ZERO);
  }

  ReplyRules with(ChannelFacts channel, Duration accountPaced) {
    return new ReplyRules(
        config,
        channel.since(),
        channel.dropsRepeats(),
        channel.findsPosts() && !channel.dropsRepeats(),
        accountPaced);
  }

  /** For a reply that cannot be looked for after all. */
  ReplyRules withoutHistory() {
    return new ReplyRules(config, since, dropsRepeats, false, paced);
  }

  /**
   * What is next for a reply that is first in its thread and that nobody is sending in this
   * process.
   *
   * @param due whether its wait was waited for in this process: the wall clock, which may jump, is
   *     not asked again
   */
  ReplyMove before(Reply reply, Instant now, boolean due) {
    return switch (reply.state()) {
      case SENDING -> new ReplyMove.Lost();
      case PLANNED -> fresh(reply, now, new ReplyMove.Post(reply.unknowns() > 0));
      case RETRY_AT -> whenDue(reply, now, due);
      case UNKNOWN -> afterLoss(reply, now, due);
      case SENT, RESENT, REJECTED, HELD ->
          throw new IllegalArgumentException(reply.reply().id() + " is not open: " + reply.state());
    };
  }

  private ReplyMove whenDue(Reply reply, Instant now, boolean due) {
    Duration wait = due ? Duration.ZERO : left(reply.nextAt(), reply, now);
    return fresh(
        reply,
        now,
        wait.isPositive() ? new ReplyMove.Wait(wait) : new ReplyMove.Post(reply.unknowns() > 0));
  }

  private static Duration left(Instant until, Reply reply, Instant now) {
    return shorter(Duration.between(now, until), longestWait(reply));
  }

  /**
   * The clock may have been set back while we were down. No wait is longer than it can have been
   * when it was written: it began after the reply was planned, and only what a platform has asked
   * for is longer than the backoff.
   */
  private static Duration longestWait(Reply reply) {
    Duration possible =
        reply.state() == ReplyState.RETRY_AT
            ? shorter(longer(reply.paced(), BACKOFF_MAX), RETRY_AFTER_MAX)
            : RETRY_AFTER_MAX;
    Duration sincePlanned = Duration.between(reply.plannedAt(), reply.nextAt());
    return sincePlanned.isNegative() ? possible : shorter(sincePlanned, possible);
  }

  private ReplyMove afterLoss(Reply reply, Instant now, boolean due) {
    if (findsPosts) {
      // However old it is: that it arrived is worth knowing.
      Duration wait = due ? Duration.ZERO : left(reply.nextAt(), reply, now);
      return wait.isPositive() ? new ReplyMove.Wait(wait) : new ReplyMove.Find();
    }
    return isRepeated(reply.unknowns())
        ? whenDue(reply, now, due)
        : new ReplyMove.Hold(lost(reply.unknowns()) + "it may have arrived");
  }

  private static String lost(int unknowns) {
    return switch (unknowns) {
      case 0 -> "";
      case 1 -> "its response was lost: ";
      default -> "its response was lost " + unknowns + " times: ";
    };
  }

  /** Whether a reply is posted again by itself after so many lost answers. */
  private boolean isRepeated(int unknowns) {
    return findsPosts
        || (config.onUnknown() == OnUnknown.RESEND_ONCE && (dropsRepeats || unknowns <= 1));
  }

  /**
   * When a reply is posted again whose answer was lost; empty when it is not. The platform that
   * drops repeats gets them soon and often. Any other gets one, which is to outlast the trouble of
   * whatever stands before it.
   *
   * @param before the reply as it was before that post
   */
  Optional<Duration> waitAfterLoss(Reply before, Duration asked, Instant now) {
    int unknowns = before.unknowns() + 1;
    if (!isRepeated(unknowns)) {
      return Optional.empty();
    }
    Duration backoff = dropsRepeats ? backoff(unknowns) : BACKOFF_MAX;
    Duration wait = longer(backoff, shorter(asked, RETRY_AFTER_MAX));
    return Optional.of(shorter(wait, left(before, now)));
  }

  /** It did not arrive, so to post it again posts nothing twice. */
  ReplyMove afterAbsence(Reply reply, Instant now) {
    return fresh(reply, now, new ReplyMove.Post(true));
  }

  /** Whether it arrived could not be found out. */
  ReplyMove afterFailedFind(Reply reply, Failure failure, Instant now) {
    if (!failure.isPassing()) {
      return withoutHistory().before(reply, now, true);
    }
    Duration wait = shorter(longer(failure.retryAfter(), FIND_EVERY), RETRY_AFTER_MAX);
    return fresh(reply, now, new ReplyMove.Wait(wait));
  }

  private ReplyMove fresh(Reply reply, Instant now, ReplyMove move) {
    return now.isAfter(expiry(reply))
        ? new ReplyMove.Hold(
            lost(reply.unknowns()) + "it is older than " + config.ttl().toSeconds() + " s")
        : move;
  }

  private Instant expiry(Reply reply) {
    Instant begun = reply.plannedAt().isAfter(since) ? reply.plannedAt() : since;
    return begun.plus(config.ttl()).plus(longer(reply.paced(), paced));
  }

  /** Until the reply is too old. */
  private Duration left(Reply reply, Instant now) {
    return Duration.between(now, expiry(reply)).plusMillis(1);
  }

  /** What a post of {@code reply}, as it was before, made of it. */
  ReplyChange after(Reply reply, PostOutcome outcome, Instant now) {
    return switch (outcome) {
      case PostOutcome.Sent(String platformId) -> new ReplyChange.Sent(platformId);
      case PostOutcome.Unknown(Failure failure) ->
          new ReplyChange.Unknown(why(failure), waitAfterLoss(reply, failure.retryAfter(), now));
      case PostOutcome.NotDelivered(Failure failure) -> refused(reply, failure, now);
    };
  }

  private ReplyChange refused(Reply reply, Failure failure, Instant now) {
    if (!failure.isPassing()) {
      return new ReplyChange.Rejected(why(failure));
    }
    Duration left = left(reply, now);
    if (!isAnswered(failure.code())) {
      Duration wait = shorter(waitForPlatform(reply, now), left);
      return new ReplyChange.Retry(wait, why(failure), false, Duration.ZERO);
    }
    int attempts = reply.attempts() + 1;
    if (attempts >= config.maxAttempts()) {
      return new ReplyChange.Rejected(why(failure) + ", " + attempts + " times");
    }
    Duration asked = shorter(failure.retryAfter(), RETRY_AFTER_MAX);
    Duration wait = longer(asked, shorter(backoff(attempts), left));
    return new ReplyChange.Retry(wait, why(failure), true, asked);
  }

  /**
   * Whether the platform was reached and said no; what was never reached is waited for and not
   * counted.
   */
  static boolean isAnswered(FailureCode code) {
    return switch (code) {
      case NETWORK,
          TIMEOUT,
          STREAM_TIMEOUT,
          IO,
          CIRCUIT_OPEN,
          BULKHEAD_FULL,
          AGENT_UNAVAILABLE,
          CANCELLED ->
          false;
      default -> true;
    };
  }

  /** After the {@code attempts}-th answered refusal, from 1. */
  Duration backoff(int attempts) {
    return new Backoff(config.initialBackoff(), BACKOFF_MAX).after(attempts);
  }

  /**
   * As long as the reply has waited so far, so that the waits double without a count that would
   * have to be kept.
   */
  private Duration waitForPlatform(Reply reply, Instant now) {
    Duration age = Duration.between(reply.plannedAt(), now);
    Duration least = config.initialBackoff();
    return shorter(longer(age, least), BACKOFF_MAX);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration shorter(Duration one, Duration other) {
    Duration shorter = one.compareTo(other) < 0 ? one : other;
    return shorter.isNegative() ? Duration.ZERO : shorter;
  }

  private static String why(Failure failure) {
    return failure.code() + ": " + failure.message();
  }
}
