package dev.holdfast.tasks.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.tasks.rules.FailureLadder.Progress;
import dev.holdfast.tasks.rules.FailureLadder.Rung;
import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailureLadderTest {
  private static final RetryRules RULES = RetryRules.DEFAULT;

  private static TaskFailure failure(FailureCode code, boolean settled) {
    return new TaskFailure(code, "no luck", settled);
  }

  private static Rung after(FailureCode code, Progress progress) {
    return FailureLadder.after(failure(code, true), progress, RULES);
  }

  /** How many attempts a task takes that fails each time in the same way. */
  private static int attempts(TaskFailure failure, boolean repeatable, int agents, int perAgent) {
    RetryRules rules = new RetryRules(perAgent, Duration.ofMillis(1), Duration.ofMillis(1));
    int ofAgent = 0;
    int reassigns = 0;
    for (int attempt = 1; ; attempt++) {
      ofAgent++;
      boolean othersLeft = reassigns + 1 < agents;
      switch (FailureLadder.after(
          failure,
          new Progress(attempt, ofAgent, reassigns, repeatable, othersLeft, false),
          rules)) {
        case RETRY -> {}
        case ESCALATE -> throw new AssertionError("there are no better models");
        case REASSIGN -> {
          reassigns++;
          ofAgent = 0;
        }
        case GIVE_UP -> {
          return attempt;
        }
      }
    }
  }

  @Property
  void noTaskTakesMoreThanTwelveAttempts(
      @ForAll FailureCode code,
      @ForAll boolean settled,
      @ForAll boolean repeatable,
      @ForAll @IntRange(min = 1, max = 20) int agents,
      @ForAll @IntRange(min = 1, max = 10) int perAgent) {
    assertThat(attempts(failure(code, settled), repeatable, agents, perAgent))
        .isBetween(1, FailureLadder.ATTEMPTS_MAX)
        .isLessThanOrEqualTo(perAgent * Math.min(agents, FailureLadder.REASSIGNS_MAX + 1));
  }

  @Property
  void whatIsInDoubtAndDoesHarmTwiceIsNeverTriedAgain(
      @ForAll FailureCode code,
      @ForAll @IntRange(min = 1, max = 12) int attempt,
      @ForAll @IntRange(max = 2) int reassigns,
      @ForAll boolean othersLeft) {
    Progress progress = new Progress(attempt, 1, reassigns, false, othersLeft, false);
    assertThat(FailureLadder.after(failure(code, false), progress, RULES)).isEqualTo(Rung.GIVE_UP);
  }

  @Property
  void whatIsInDoubtAndRepeatableIsTakenAsIfItWereSettled(
      @ForAll FailureCode code,
      @ForAll @IntRange(min = 1, max = 12) int attempt,
      @ForAll @IntRange(min = 1, max = 3) int ofAgent,
      @ForAll boolean othersLeft) {
    Progress progress = new Progress(attempt, ofAgent, 0, true, othersLeft, false);
    assertThat(FailureLadder.after(failure(code, false), progress, RULES))
        .isEqualTo(FailureLadder.after(failure(code, true), progress, RULES));
  }

  @Property
  void anInvalidRequestIsGivenUpAtOnce(
      @ForAll boolean settled,
      @ForAll boolean repeatable,
      @ForAll @IntRange(min = 1, max = 10) int agents,
      @ForAll @IntRange(min = 1, max = 10) int perAgent) {
    TaskFailure failure = failure(FailureCode.INVALID_REQUEST, settled);
    assertThat(attempts(failure, repeatable, agents, perAgent)).isOne();
  }

  @Property
  void whatIsNotSupportedIsGivenToOneOtherAgent(
      @ForAll @IntRange(min = 2, max = 10) int agents,
      @ForAll @IntRange(min = 1, max = 10) int perAgent) {
    TaskFailure failure = failure(FailureCode.ACTION_NOT_SUPPORTED, true);
    assertThat(attempts(failure, false, agents, perAgent)).isEqualTo(2);
    assertThat(attempts(failure, false, 1, perAgent)).isOne();
  }

  @ParameterizedTest
  @EnumSource(
      value = FailureCode.class,
      names = {"BACKEND_FAILURE", "TIMEOUT", "IO", "INTERNAL"})
  void aPassingFailureIsTriedThriceByEachOfThreeAgents(FailureCode code) {
    assertThat(attempts(failure(code, true), false, 5, 3)).isEqualTo(9);
    assertThat(attempts(failure(code, true), false, 1, 3)).isEqualTo(3);
    assertThat(attempts(failure(code, false), true, 1, 3)).isEqualTo(3);
    assertThat(attempts(failure(code, false), false, 5, 3)).isOne();
  }

  @ParameterizedTest
  @EnumSource(
      value = FailureCode.class,
      names = {"AGENT_UNAVAILABLE", "AUTH", "QUOTA"})
  void whatOnlyConcernsTheAgentGoesToAnotherWithoutARetry(FailureCode code) {
    assertThat(after(code, new Progress(1, 1, 0, false, true, false))).isEqualTo(Rung.REASSIGN);
    assertThat(after(code, new Progress(1, 1, 0, false, false, false))).isEqualTo(Rung.GIVE_UP);
  }

  @Test
  void retriesComeBeforeOtherAgentsAndTheseHaveABound() {
    FailureCode code = FailureCode.BACKEND_FAILURE;
    assertThat(after(code, new Progress(1, 1, 0, false, true, false))).isEqualTo(Rung.RETRY);
    assertThat(after(code, new Progress(3, 3, 0, false, true, false))).isEqualTo(Rung.REASSIGN);
    assertThat(after(code, new Progress(9, 3, 2, false, true, false))).isEqualTo(Rung.GIVE_UP);
    assertThat(after(code, new Progress(12, 1, 1, false, true, false))).isEqualTo(Rung.GIVE_UP);
  }

  @Test
  void betterModelsComeWhenNobodyElseIsLeft() {
    FailureCode code = FailureCode.BACKEND_FAILURE;
    assertThat(after(code, new Progress(1, 1, 0, true, true, true))).isEqualTo(Rung.RETRY);
    assertThat(after(code, new Progress(3, 3, 0, true, true, true))).isEqualTo(Rung.REASSIGN);
    assertThat(after(code, new Progress(3, 3, 0, true, false, true))).isEqualTo(Rung.ESCALATE);
    assertThat(after(code, new Progress(12, 3, 0, true, false, true))).isEqualTo(Rung.GIVE_UP);
    assertThat(after(FailureCode.INVALID_REQUEST, new Progress(1, 1, 0, true, false, true)))
        .isEqualTo(Rung.GIVE_UP);
  }
}
