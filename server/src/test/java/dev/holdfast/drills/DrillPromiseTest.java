package dev.holdfast.drills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.drills.DrillPromise.Held;
import dev.holdfast.store.messages.EventFates;
import dev.holdfast.store.messages.EventFates.Told;
import dev.holdfast.store.messages.EventState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DrillPromiseTest {
  private static EventFates fates(
      Map<EventState, Long> states, long answeredTwice, long open, long resent, Told... told) {
    return new EventFates(states, 3, answeredTwice, open, resent, List.of(told));
  }

  private static DrillFacts facts(EventFates fates, int looksNotReady, String... remaining) {
    return new DrillFacts(
        fates.accepted(), fates, 5, 10, looksNotReady, true, List.of(remaining), Duration.ZERO);
  }

  private static Held held(DrillPromise promise, DrillFacts facts) {
    return promise.judge(facts).held();
  }

  @Test
  void whatIsOpenLostOrNotPostedBreaksTheFirstPromise() {
    DrillPromise promise = DrillPromise.ACCEPTED_IS_ANSWERED;
    EventFates whole = fates(Map.of(EventState.ANSWERED, 4L, EventState.CANCELLED, 1L), 0, 0, 0);
    assertThat(held(promise, facts(whole, 0))).isEqualTo(Held.YES);
    EventFates open = fates(Map.of(EventState.ANSWERED, 4L, EventState.PARKED, 1L), 0, 0, 0);
    assertThat(held(promise, facts(open, 0))).isEqualTo(Held.NO);
    EventFates unposted = fates(Map.of(EventState.ANSWERED, 4L), 0, 1, 0);
    assertThat(held(promise, facts(unposted, 0))).isEqualTo(Held.NO);
    DrillFacts lost = new DrillFacts(6, whole, 1, 10, 0, true, List.of(), Duration.ofSeconds(2));
    assertThat(held(promise, lost)).as("one row less than was counted").isEqualTo(Held.NO);
    DrillFacts none = facts(fates(Map.of(), 0, 0, 0), 0);
    assertThat(held(promise, none)).isEqualTo(Held.UNTESTED);
  }

  @Test
  void aSecondAnswerAndASecondPostBreakTheSecond() {
    DrillPromise promise = DrillPromise.NOTHING_TWICE;
    Map<EventState, Long> one = Map.of(EventState.ANSWERED, 1L);
    assertThat(held(promise, facts(fates(one, 0, 0, 0), 0))).isEqualTo(Held.YES);
    assertThat(held(promise, facts(fates(one, 1, 0, 0), 0))).isEqualTo(Held.NO);
    assertThat(held(promise, facts(fates(one, 0, 0, 1), 0))).isEqualTo(Held.NO);
  }

  @Test
  void aSentenceMayBeToldOnceInEachChatThread() {
    DrillPromise promise = DrillPromise.TOLD_ONCE;
    Map<EventState, Long> one = Map.of(EventState.ANSWERED, 1L);
    assertThat(held(promise, facts(fates(one, 0, 0, 0), 0))).isEqualTo(Held.UNTESTED);
    EventFates once = fates(one, 0, 0, 0, new Told("later", 3, 3));
    assertThat(held(promise, facts(once, 0))).isEqualTo(Held.YES);
    EventFates twice = fates(one, 0, 0, 0, new Told("later", 4, 3));
    assertThat(held(promise, facts(twice, 0))).isEqualTo(Held.NO);
  }

  @Test
  void readinessIsPromisedOrItsAbsence() {
    DrillFacts ready = facts(fates(Map.of(), 0, 0, 0), 0);
    DrillFacts refusing = facts(fates(Map.of(), 0, 0, 0), 3);
    assertThat(held(DrillPromise.STAYS_READY, ready)).isEqualTo(Held.YES);
    assertThat(held(DrillPromise.STAYS_READY, refusing)).isEqualTo(Held.NO);
    assertThat(held(DrillPromise.REFUSES_OPENLY, ready)).isEqualTo(Held.NO);
    assertThat(held(DrillPromise.REFUSES_OPENLY, refusing)).isEqualTo(Held.YES);
  }

  @Test
  void whatStaysBrokenIsNamed() {
    DrillFacts facts = facts(fates(Map.of(EventState.DEAD_LETTERED, 1L), 0, 0, 0), 0, "disk");
    assertThat(held(DrillPromise.NOTHING_GIVEN_UP, facts)).isEqualTo(Held.NO);
    assertThat(DrillPromise.NORMAL_AGAIN.judge(facts).why()).contains("disk");
    assertThat(held(DrillPromise.NORMAL_AGAIN, facts)).isEqualTo(Held.NO);
    assertThat(held(DrillPromise.PART_WORKS_AGAIN, facts)).isEqualTo(Held.YES);
    assertThat(facts.isSettled()).isFalse();
  }
}
