package dev.holdfast.replies;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.resilience.CallOutcome;
import dev.holdfast.resilience.Verdict;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a failed post says about its account: one chat thread that is refused, or told to wait,
 * speaks for itself alone; several with no success between speak for the account, and so does a
 * platform that cannot be reached. Thread-safe.
 */
final class AccountVerdicts {
  /** So many chat threads are taken for the whole account. */
  static final int THREADS = 3;

  /** The longest wait that one chat thread's answer means for the others. */
  static final Duration OTHERS_WAIT_MAX = Duration.ofSeconds(5);

  /** No wait is longer: a platform that asks for years must not silence its account for ever. */
  static final Duration WAIT_MAX = Duration.ofHours(1);

  private final Set<String> failing = new HashSet<>();
  private final Set<String> limited = new HashSet<>();

  /**
   * @param outcome of the post; null when it was not begun
   */
  synchronized Verdict of(String threadId, @Nullable PostOutcome outcome, Failure failure) {
    if (failure.kind() != FailureKind.TRANSIENT || outcome == null) {
      return new Verdict(CallOutcome.of(failure), Duration.ZERO);
    }
    if (failure.code() == FailureCode.RATE_LIMITED) {
      boolean ofAccount = isEnough(limited, threadId);
      return new Verdict(CallOutcome.NEUTRAL, ofAccount ? WAIT_MAX : OTHERS_WAIT_MAX);
    }
    if (outcome instanceof PostOutcome.NotDelivered && !ReplyRules.isAnswered(failure.code())) {
      return new Verdict(CallOutcome.of(failure), Duration.ZERO);
    }
    return isEnough(failing, threadId)
        ? new Verdict(CallOutcome.PARTS_FAILED, WAIT_MAX)
        : new Verdict(CallOutcome.PART_FAILED, Duration.ZERO);
  }

  /** A post arrived: the account works. */
  synchronized void succeeded() {
    failing.clear();
    limited.clear();
  }

  private static boolean isEnough(Set<String> threads, String threadId) {
    threads.add(threadId);
    if (threads.size() < THREADS) {
      return false;
    }
    threads.clear();
    return true;
  }
}
