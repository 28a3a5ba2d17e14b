package dev.holdfast.replies;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.store.messages.Reply;
import java.time.Duration;
import java.time.Instant;

/**
 * When a reply is posted, and what becomes of it then. Pure: the same reply at the same time always
 * fares the same.
 */
record ReplyRules(RepliesConfig config, Instant since) {
  private static final Duration BACKOFF_MAX = Duration.ofMinutes(1);
  private static final Duration RETRY_AFTER_MAX = Duration.ofHours(1);

  /** For a channel that was always there. */
  ReplyRules(RepliesConfig config) {
    this(config, Instant.MIN);
  }

  /** For a channel that is there since then: what waited for it is not too old for that. */
  ReplyRules since(Instant added) {
    return new ReplyRules(config, added);
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
      case RETRY_AT -> {
        // The clock may have been set back while we were down: no wait is longer than the longest
        // ever asked for.
        Duration wait = shorter(Duration.between(now, reply.nextAt()), RETRY_AFTER_MAX);
        boolean waits = !due && wait.isPositive();
        yield fresh(
            reply,
            now,
            waits ? new ReplyMove.Wait(wait) : new ReplyMove.Post(reply.unknowns() > 0));
      }
      case UNKNOWN -> afterLoss(reply, now);
      case SENT, RESENT, REJECTED, HELD ->
          throw new IllegalArgumentException(reply.reply().id() + " is not open: " + reply.state());
    };
  }

  private ReplyMove afterLoss(Reply reply, Instant now) {
    if (config.onUnknown() == OnUnknown.HOLD) {
      return new ReplyMove.Hold("its answer was lost: it may have arrived");
    }
    return reply.unknowns() > 1
        ? new ReplyMove.Hold(
            "its answer was lost " + reply.unknowns() + " times: it may have arrived")
        : fresh(reply, now, new ReplyMove.Post(true));
  }

  /**
   * Whether a reply, as it was before a post whose answer was lost, is posted once more by itself.
   */
  boolean isResentAfterLoss(Reply before) {
    return config.onUnknown() == OnUnknown.RESEND_ONCE && before.unknowns() == 0;
  }

  private ReplyMove fresh(Reply reply, Instant now, ReplyMove move) {
    return now.isAfter(expiry(reply))
        ? new ReplyMove.Hold("it is older than " + config.ttl().toSeconds() + " s")
        : move;
  }

  private Instant expiry(Reply reply) {
    Instant begun = reply.plannedAt().isAfter(since) ? reply.plannedAt() : since;
    return begun.plus(config.ttl());
  }

  /** What a post of {@code reply}, as it was before, made of it. */
  ReplyChange after(Reply reply, PostOutcome outcome, Instant now) {
    return switch (outcome) {
      case PostOutcome.Sent(String platformId) -> new ReplyChange.Sent(platformId);
      case PostOutcome.Unknown(Failure failure) -> new ReplyChange.Unknown(why(failure));
      case PostOutcome.NotDelivered(Failure failure) -> refused(reply, failure, now);
    };
  }

  private ReplyChange refused(Reply reply, Failure failure, Instant now) {
    if (!failure.isPassing()) {
      return new ReplyChange.Rejected(why(failure));
    }
    if (failure.code() == FailureCode.CANCELLED) {
      return new ReplyChange.Retry(
          Duration.ZERO, why(failure), false); // we stopped, not the platform
    }
    Duration left = Duration.between(now, expiry(reply)).plusMillis(1);
    if (!isAnswered(failure.code())) {
      return new ReplyChange.Retry(shorter(waitForPlatform(reply, now), left), why(failure), false);
    }
    int attempts = reply.attempts() + 1;
    if (attempts >= config.maxAttempts()) {
      return new ReplyChange.Rejected(why(failure) + ", " + attempts + " times");
    }
    Duration asked = shorter(failure.retryAfter(), RETRY_AFTER_MAX);
    if (asked.compareTo(left) > 0) {
      return new ReplyChange.Held(
          why(failure)
              + " and asks to wait "
              + asked.toSeconds()
              + " s: longer than a reply may wait");
    }
    Duration backoff = backoff(attempts);
    return new ReplyChange.Retry(
        shorter(asked.compareTo(backoff) > 0 ? asked : backoff, left), why(failure), true);
  }

  /**
   * Whether the platform was reached and said no; what was never reached is waited for and not
   * counted.
   */
  private static boolean isAnswered(FailureCode code) {
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
    long millis = config.initialBackoff().toMillis() << Math.min(attempts - 1, 16);
    return shorter(Duration.ofMillis(millis), BACKOFF_MAX);
  }

  /**
   * As long as the reply has waited so far, so that the waits double without a count that would
   * have to be kept.
   */
  private Duration waitForPlatform(Reply reply, Instant now) {
    Duration age = Duration.between(reply.plannedAt(), now);
    Duration least = config.initialBackoff();
    return shorter(age.compareTo(least) > 0 ? age : least, BACKOFF_MAX);
  }

  private static Duration shorter(Duration one, Duration other) {
    Duration shorter = one.compareTo(other) < 0 ? one : other;
    return shorter.isNegative() ? Duration.ZERO : shorter;
  }

  private static String why(Failure failure) {
    return failure.code() + ": " + failure.message();
  }
}
