package dev.holdfast.replies;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.resilience.CallOutcome;
import dev.holdfast.resilience.FailingParts;
import dev.holdfast.resilience.Verdict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a failed post says about its account: one chat thread that is refused, or told to wait,
 * speaks for itself alone; several with no success between speak for the account, and so does a
 * platform that cannot be reached. Thread-safe.
 */
final class AccountVerdicts {
  /** The longest wait that one chat thread's answer means for the others. */
  static final Duration OTHERS_WAIT_MAX = Duration.ofSeconds(5);

  /** No wait is longer: a platform that asks for years must not silence its account for ever. */
  static final Duration WAIT_MAX = Duration.ofHours(1);

  private final FailingParts failing = new FailingParts();
  private final FailingParts limited = new FailingParts();

  /**
   * @param outcome of the post; null when it was not begun
   */
  Verdict of(String threadId, @Nullable PostOutcome outcome, Failure failure) {
    if (failure.kind() != FailureKind.TRANSIENT || outcome == null) {
      return new Verdict(CallOutcome.of(failure), Duration.ZERO);
    }
    if (failure.code() == FailureCode.RATE_LIMITED) {
      boolean ofAccount = limited.areEnoughWith(threadId);
      return new Verdict(CallOutcome.NEUTRAL, ofAccount ? WAIT_MAX : OTHERS_WAIT_MAX);
    }
    if (outcome instanceof PostOutcome.NotDelivered && !ReplyRules.isAnswered(failure.code())) {
      return new Verdict(CallOutcome.of(failure), Duration.ZERO);
    }
    return failing.areEnoughWith(threadId)
        ? new Verdict(CallOutcome.PARTS_FAILED, WAIT_MAX)
        : new Verdict(CallOutcome.PART_FAILED, Duration.ZERO);
  }

  /** A post arrived: the account works. */
  void succeeded() {
    failing.succeeded();
    limited.succeeded();
  }
}
