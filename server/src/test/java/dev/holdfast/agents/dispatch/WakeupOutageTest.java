package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.ledgers.Schedule;
import dev.holdfast.store.ledgers.Schedule.Kind;
import dev.holdfast.store.ledgers.Schedule.Missed;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Finish;
import dev.holdfast.store.messages.ThreadReader;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Wake-ups that come due while what they said before is unanswered. */
class WakeupOutageTest extends WakeupRig {
  /** As in a long outage of all models: it is parked. */
  @Test
  void whileOneIsUnansweredTheNextOnesCountAsMissed() throws Exception {
    add("once", Kind.EVERY, "60s", Missed.ONCE);
    Schedule skip = add("skip", Kind.EVERY, "60s", Missed.SKIP);
    for (int minute = 1; minute <= 30; minute++) {
      time.advance(Duration.ofMinutes(1));
      wakeups.step();
      wakeups.step();
      if (minute == 1) {
        for (Event event : events()) {
          store.inbox().park(event.seq(), "no model", true);
        }
      }
      if (minute == 15) {
        restart();
      }
    }
    assertThat(events()).hasSize(2);
    for (int minute = 1; minute <= 30; minute++) { // the ledger tells of each that was left out
      Instant due = skip.madeAt().plus(Duration.ofMinutes(minute));
      assertThat(store.schedules().isDone("skip", due)).as("due %s", due).isTrue();
    }
    assertThat(count("skipped")).isEqualTo(15); // since the restart
    answerAll();
    wakeups.step();
    wakeups.step();
    assertThat(open("skip")).isEmpty();
    assertThat(open("once"))
        .singleElement()
        .satisfies(
            event ->
                assertThat(InboundPayload.read(event.payload()).text())
                    .contains("due 2026-01-01T00:02Z, late]"));
    assertThat(count("late")).isEqualTo(1);
    answerAll();
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    assertThat(open("skip")).hasSize(1);
    assertThat(open("once")).hasSize(1);
  }

  @Test
  void anAnswerThatComesInTimeDelaysNothing() throws Exception {
    add("s1", Kind.EVERY, "60s", Missed.SKIP);
    for (int minute = 1; minute <= 5; minute++) {
      time.advance(Duration.ofMinutes(1));
      wakeups.step();
      answerAll();
    }
    assertThat(events()).hasSize(5);
    assertThat(count("fired")).isEqualTo(5);
  }

  @Test
  void thoseThatWaitForAnAnswerKeepNobodyElseWaiting() throws Exception {
    for (int i = 0; i < 250; i++) {
      add("s" + i, Kind.EVERY, "60s", Missed.ONCE);
    }
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    time.advance(Duration.ofMinutes(5));
    add("other", Kind.AT, "2026-01-01T00:07", Missed.SKIP);
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    assertThat(events()).hasSize(251);
    assertThat(open("other")).hasSize(1);
  }

  @Test
  void whoseItIsIsKnownHoweverLongItIsUnanswered() throws Exception {
    add("s1", Kind.EVERY, "60s", Missed.SKIP);
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    Event event = events().getFirst();
    for (int minute = 1; minute <= 1100; minute++) { // more than the ledger keeps
      time.advance(Duration.ofMinutes(1));
      wakeups.step();
    }
    assertThat(events()).hasSize(1);
    assertThat(store.schedules().personBehind(event.id())).contains("alice");
  }

  @Test
  void theLedgerForgetsWhatIsLongOverAlsoOfOneThatNeverFired() throws Exception {
    Instant first = add("s1", Kind.EVERY, "60s", Missed.SKIP).next();
    for (int i = 0; i < 1010; i++) {
      time.advance(Duration.ofMinutes(3)); // always too late
      wakeups.step();
    }
    assertThat(events()).isEmpty();
    assertThat(store.schedules().isDone("s1", first)).isFalse();
  }

  @Test
  void aReplayedOneCountsAsUnansweredAgain() throws Exception {
    add("s1", Kind.EVERY, "60s", Missed.SKIP);
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    Event event = events().getFirst();
    store
        .inbox()
        .finish(
            new Finish(
                List.of(event.seq()), EventState.DEAD_LETTERED, "away", List.of(), List.of()));
    String letter =
        store.deadLetters().list(ThreadReader.OPERATOR, "", Instant.MAX, 1).getFirst().id();
    assertThat(store.deadLetters().replay(letter)).isTrue();
    time.advance(Duration.ofMinutes(1));
    wakeups.step();
    assertThat(events()).hasSize(1);
  }
}
