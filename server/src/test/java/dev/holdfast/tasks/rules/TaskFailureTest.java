package dev.holdfast.tasks.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TaskFailureTest {
  private static final Set<FailureCode> RETRYABLE =
      EnumSet.of(
          FailureCode.BACKEND_FAILURE,
          FailureCode.TIMEOUT,
          FailureCode.STREAM_TIMEOUT,
          FailureCode.IO,
          FailureCode.INTERNAL,
          FailureCode.NETWORK,
          FailureCode.RATE_LIMITED,
          FailureCode.OVERLOADED,
          FailureCode.BULKHEAD_FULL,
          FailureCode.CIRCUIT_OPEN,
          FailureCode.ACTOR_CRASHED);

  private static Set<FailureCode> codes(Predicate<TaskFailure> holds) {
    return Arrays.stream(FailureCode.values())
        .filter(code -> holds.test(new TaskFailure(code, "no luck", true)))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(FailureCode.class)));
  }

  private static Set<FailureCode> with(Set<FailureCode> codes, FailureCode... more) {
    Set<FailureCode> all = EnumSet.copyOf(codes);
    all.addAll(Arrays.asList(more));
    return all;
  }

  @Test
  void whatPassesIsRetried() {
    assertThat(codes(TaskFailure::isRetryable)).isEqualTo(RETRYABLE);
  }

  @Test
  void whatACallerAsksWronglyDoesNotSpeakAgainstTheAgent() {
    assertThat(codes(TaskFailure::countsAgainstAgent))
        .isEqualTo(
            with(
                RETRYABLE, FailureCode.AUTH, FailureCode.QUOTA, FailureCode.MAX_RESTARTS_EXCEEDED));
  }

  @Test
  void whatAnotherAgentMayDoIsGivenToAnother() {
    assertThat(codes(TaskFailure::isReassignable))
        .isEqualTo(
            with(
                RETRYABLE,
                FailureCode.ACTION_NOT_SUPPORTED,
                FailureCode.AGENT_UNAVAILABLE,
                FailureCode.AUTH,
                FailureCode.QUOTA,
                FailureCode.MAX_RESTARTS_EXCEEDED,
                FailureCode.ACTOR_NOT_FOUND));
  }

  @Test
  void whetherItIsInDoubtChangesNothingOfThat() {
    for (FailureCode code : FailureCode.values()) {
      TaskFailure settled = new TaskFailure(code, "x", true);
      TaskFailure inDoubt = new TaskFailure(code, "x", false);
      assertThat(inDoubt.isRetryable()).isEqualTo(settled.isRetryable());
      assertThat(inDoubt.countsAgainstAgent()).isEqualTo(settled.countsAgainstAgent());
    }
  }
}
