package dev.holdfast.replies;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.resilience.CallOutcome;
import dev.holdfast.resilience.FailingParts;
import dev.holdfast.resilience.Verdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
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

  /** Of further ones it is not known what came first; they end no refusal. */
  private static final int LOST_MAX = 1000;

  private final FailingParts failing = new FailingParts();
  private final FailingParts limited = new FailingParts();

  /**
   * How many refusals there had been when a reply was sent whose answer was lost; of the newest.
   */
  private final Map<Long, Integer> lost = new LinkedHashMap<>(); // of the lock

  private int refusals; // of the lock
  private volatile boolean refused;

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
    refused = false;
  }

  /** The platform does not let the account post, whatever it says. */
  synchronized void refused() {
    refusals++;
    refused = true;
  }

  synchronized int refusals() {
    return refusals;
  }

  /**
   * Whether a post has arrived is not known.
   *
   * @param seq of its reply
   * @param refusalsBefore from right before it was sent
   */
  synchronized void lost(long seq, int refusalsBefore) {
    lost.remove(seq);
    lost.put(seq, refusalsBefore);
    if (lost.size() > LOST_MAX) {
      lost.remove(lost.keySet().iterator().next());
    }
  }

  /**
   * It has arrived after all: the account works, unless it was refused after that.
   *
   * @param seq as of {@link #lost}
   */
  synchronized void found(long seq) {
    @Nullable Integer before = lost.remove(seq);
    if (before != null && before == refusals) {
      succeeded();
    }
  }

  /** Whether the platform has refused the account itself since the last post that arrived. */
  boolean isRefused() {
    return refused;
  }
}
