package dev.holdfast.agents.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.Suspect;
import org.junit.jupiter.api.Test;

class ModelTrialsTest {
  private long answers;
  private long failures;
  private ModelTrials trials = ModelTrials.begin(tally());

  private ModelTally tally() {
    return new ModelTally(answers, failures);
  }

  private void fail(Suspect suspect) {
    trials = trials.failed(suspect, tally());
    failures += suspect == Suspect.NONE ? 0 : 1;
  }

  @Test
  void failuresWhileNobodyIsAnsweredSayNothingOfTheTurn() {
    for (int i = 0; i < 100; i++) {
      fail(Suspect.REQUEST);
    }
    assertThat(trials.failures()).isEqualTo(100);
    assertThat(trials.alone()).isZero();
    assertThat(trials.isToBeGivenUp()).isFalse();
  }

  @Test
  void whoFailsFiveTimesWhileOthersAreAnsweredIsGivenUp() {
    fail(Suspect.REQUEST);
    for (int i = 1; i <= 5; i++) {
      assertThat(trials.isToBeGivenUp()).as("after %d", i - 1).isFalse();
      answers++;
      fail(Suspect.REQUEST);
    }
    assertThat(trials.isToBeGivenUp()).isTrue();
  }

  @Test
  void anAnswerToAnotherDuringTheFirstRunCountsToo() {
    answers++;
    fail(Suspect.REQUEST);
    assertThat(trials.blamed()).isEqualTo(1);
  }

  /** As a provider that is overloaded, or limits the rate, for minutes. */
  @Test
  void whatIsTheProvidersFaultIsNeverBlamedOnATurn() {
    for (int i = 0; i < 100; i++) {
      answers++;
      fail(Suspect.PROVIDER);
    }
    assertThat(trials.alone()).isEqualTo(100);
    assertThat(trials.isToBeGivenUp()).isFalse();
  }

  @Test
  void whoFailsWhileMoreOthersFailThanAreAnsweredIsNotAlone() {
    for (int i = 0; i < 100; i++) {
      answers++;
      failures += 2;
      fail(Suspect.REQUEST);
    }
    assertThat(trials.alone()).isZero();
  }

  @Test
  void aRunThatCouldNotAskCountsForNothing() {
    ModelTrials before = trials;
    answers++;
    fail(Suspect.NONE);
    assertThat(trials).isEqualTo(before);
  }
}
