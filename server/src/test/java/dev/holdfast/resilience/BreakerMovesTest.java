package dev.holdfast.resilience;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.holdfast.resilience.BreakerEvent.Asked;
import dev.holdfast.resilience.BreakerEvent.BlockedByHand;
import dev.holdfast.resilience.BreakerEvent.Elapsed;
import dev.holdfast.resilience.BreakerEvent.Failed;
import dev.holdfast.resilience.BreakerEvent.Neutral;
import dev.holdfast.resilience.BreakerEvent.PartFailed;
import dev.holdfast.resilience.BreakerEvent.Reset;
import dev.holdfast.resilience.BreakerEvent.Succeeded;
import dev.holdfast.resilience.BreakerEvent.Tripped;
import dev.holdfast.resilience.BreakerMoves.Moment;
import dev.holdfast.resilience.BreakerState.Blocked;
import dev.holdfast.resilience.BreakerState.Closed;
import dev.holdfast.resilience.BreakerState.HalfOpen;
import dev.holdfast.resilience.BreakerState.Open;
import dev.holdfast.resilience.BreakerState.Trying;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BreakerMovesTest {
  private static final BreakerSettings SETTINGS = BreakerSettings.DEFAULT;
  private static final long NOW = ofSeconds(1000).toNanos();
  private static final Moment MOMENT = new Moment(NOW, 0);
  private static final long LATER = NOW + 1;
  private static final long TRIAL = NOW + 500;
  private static final long STALE = 6;

  /** Every state, in each phase that makes a difference; all of epoch 7. */
  private static final Closed CLOSED = new Closed(7, 3);

  private static final Closed ON_THE_EDGE = new Closed(7, 4);
  private static final Open OPEN = new Open(7, 5, 2, LATER);
  private static final Open DUE = new Open(7, 5, 2, NOW);
  private static final Blocked BLOCKED = new Blocked(7, 5, 2);
  private static final HalfOpen HALF = new HalfOpen(7, 5, 2, 1);
  private static final Trying FIRST = new Trying(7, 5, 2, 0, LATER);
  private static final Trying SECOND = new Trying(7, 5, 2, 1, LATER);
  private static final Trying LOST = new Trying(7, 5, 2, 1, NOW);

  private static long in(long seconds) {
    return NOW + ofSeconds(seconds).toNanos();
  }

  @Test
  void itFailsFromItsOpeningToTheFirstSuccess() {
    assertThat(Stream.of(OPEN, DUE, BLOCKED, FIRST)).allMatch(BreakerState::isFailing);
    assertThat(Stream.of(CLOSED, ON_THE_EDGE, HALF, SECOND, LOST))
        .noneMatch(BreakerState::isFailing);
    assertThat(new HalfOpen(7, 5, 2, 0).isFailing()).isTrue();
  }

  static Stream<Arguments> everyEventInEveryState() {
    Asked asked = new Asked(TRIAL);
    Succeeded succeeded = new Succeeded(7);
    Failed failed = new Failed(7);
    PartFailed part = new PartFailed(7, false);
    PartFailed parts = new PartFailed(7, true);
    Neutral neutral = new Neutral(7);
    Elapsed elapsed = new Elapsed(7);
    return Stream.of(
        arguments(CLOSED, asked, CLOSED),
        arguments(ON_THE_EDGE, asked, ON_THE_EDGE),
        arguments(OPEN, asked, OPEN),
        arguments(DUE, asked, new Trying(8, 5, 2, 0, TRIAL)),
        arguments(HALF, asked, new Trying(8, 5, 2, 1, TRIAL)),
        arguments(FIRST, asked, FIRST),
        arguments(SECOND, asked, SECOND),
        arguments(LOST, asked, new Trying(8, 5, 2, 1, TRIAL)),
        arguments(CLOSED, succeeded, new Closed(7, 0)),
        arguments(ON_THE_EDGE, succeeded, new Closed(7, 0)),
        arguments(OPEN, succeeded, OPEN),
        arguments(DUE, succeeded, DUE),
        arguments(HALF, succeeded, HALF),
        arguments(FIRST, succeeded, new HalfOpen(8, 5, 2, 1)),
        arguments(SECOND, succeeded, new Closed(8, 0)),
        arguments(LOST, succeeded, new Closed(8, 0)),
        arguments(CLOSED, failed, new Closed(7, 4)),
        arguments(ON_THE_EDGE, failed, new Open(8, 5, 1, in(10))),
        arguments(OPEN, failed, OPEN),
        arguments(DUE, failed, DUE),
        arguments(HALF, failed, HALF),
        arguments(FIRST, failed, new Open(8, 6, 3, in(40))),
        arguments(SECOND, failed, new Open(8, 6, 3, in(40))),
        arguments(LOST, failed, new Open(8, 6, 3, in(40))),
        arguments(CLOSED, part, CLOSED),
        arguments(ON_THE_EDGE, part, ON_THE_EDGE),
        arguments(OPEN, part, OPEN),
        arguments(DUE, part, DUE),
        arguments(HALF, part, HALF),
        arguments(FIRST, part, new Open(8, 6, 3, in(40))),
        arguments(SECOND, part, new HalfOpen(8, 5, 2, 1)),
        arguments(LOST, part, new HalfOpen(8, 5, 2, 1)),
        arguments(CLOSED, parts, new Open(8, 4, 1, in(10))),
        arguments(ON_THE_EDGE, parts, new Open(8, 5, 1, in(10))),
        arguments(OPEN, parts, OPEN),
        arguments(DUE, parts, DUE),
        arguments(HALF, parts, HALF),
        arguments(FIRST, parts, new Open(8, 6, 3, in(40))),
        arguments(SECOND, parts, new Open(8, 6, 3, in(40))),
        arguments(LOST, parts, new Open(8, 6, 3, in(40))),
        arguments(CLOSED, neutral, CLOSED),
        arguments(ON_THE_EDGE, neutral, ON_THE_EDGE),
        arguments(OPEN, neutral, OPEN),
        arguments(DUE, neutral, DUE),
        arguments(HALF, neutral, HALF),
        arguments(FIRST, neutral, new HalfOpen(8, 5, 2, 0)),
        arguments(SECOND, neutral, new HalfOpen(8, 5, 2, 1)),
        arguments(LOST, neutral, new HalfOpen(8, 5, 2, 1)),
        arguments(CLOSED, elapsed, CLOSED),
        arguments(ON_THE_EDGE, elapsed, ON_THE_EDGE),
        arguments(OPEN, elapsed, OPEN),
        arguments(DUE, elapsed, new HalfOpen(8, 5, 2, 0)),
        arguments(HALF, elapsed, HALF),
        arguments(FIRST, elapsed, FIRST),
        arguments(SECOND, elapsed, SECOND),
        arguments(LOST, elapsed, LOST),
        arguments(CLOSED, new Tripped(), new Open(8, 3, 1, in(10))),
        arguments(ON_THE_EDGE, new Tripped(), new Open(8, 4, 1, in(10))),
        arguments(OPEN, new Tripped(), new Open(8, 5, 2, in(20))),
        arguments(DUE, new Tripped(), new Open(8, 5, 2, in(20))),
        arguments(HALF, new Tripped(), new Open(8, 5, 3, in(40))),
        arguments(FIRST, new Tripped(), new Open(8, 5, 3, in(40))),
        arguments(SECOND, new Tripped(), new Open(8, 5, 3, in(40))),
        arguments(LOST, new Tripped(), new Open(8, 5, 3, in(40))),
        arguments(BLOCKED, asked, BLOCKED),
        arguments(BLOCKED, succeeded, BLOCKED),
        arguments(BLOCKED, failed, BLOCKED),
        arguments(BLOCKED, part, BLOCKED),
        arguments(BLOCKED, parts, BLOCKED),
        arguments(BLOCKED, neutral, BLOCKED),
        arguments(BLOCKED, elapsed, BLOCKED),
        arguments(BLOCKED, new Tripped(), BLOCKED),
        arguments(BLOCKED, new BlockedByHand(), BLOCKED),
        arguments(BLOCKED, new Reset(), new Closed(8, 0)),
        arguments(CLOSED, new BlockedByHand(), new Blocked(8, 3, 1)),
        arguments(ON_THE_EDGE, new BlockedByHand(), new Blocked(8, 4, 1)),
        arguments(OPEN, new BlockedByHand(), new Blocked(8, 5, 2)),
        arguments(DUE, new BlockedByHand(), new Blocked(8, 5, 2)),
        arguments(HALF, new BlockedByHand(), new Blocked(8, 5, 2)),
        arguments(FIRST, new BlockedByHand(), new Blocked(8, 5, 2)),
        arguments(SECOND, new BlockedByHand(), new Blocked(8, 5, 2)),
        arguments(LOST, new BlockedByHand(), new Blocked(8, 5, 2)),
        arguments(CLOSED, new Reset(), new Closed(8, 0)),
        arguments(ON_THE_EDGE, new Reset(), new Closed(8, 0)),
        arguments(OPEN, new Reset(), new Closed(8, 0)),
        arguments(DUE, new Reset(), new Closed(8, 0)),
        arguments(HALF, new Reset(), new Closed(8, 0)),
        arguments(FIRST, new Reset(), new Closed(8, 0)),
        arguments(SECOND, new Reset(), new Closed(8, 0)),
        arguments(LOST, new Reset(), new Closed(8, 0)));
  }

  @ParameterizedTest
  @MethodSource
  void everyEventInEveryState(BreakerState state, BreakerEvent event, BreakerState next) {
    assertThat(BreakerMoves.next(state, event, MOMENT, SETTINGS)).isEqualTo(next);
  }

  static Stream<Arguments> anAnswerOfAnOlderEpochChangesNothing() {
    return Stream.<BreakerState>of(CLOSED, ON_THE_EDGE, OPEN, DUE, HALF, FIRST, SECOND, LOST)
        .flatMap(
            state ->
                Stream.of(
                        new Succeeded(STALE),
                        new Failed(STALE),
                        new Neutral(STALE),
                        new Elapsed(STALE))
                    .map(event -> arguments(state, event)));
  }

  @ParameterizedTest
  @MethodSource
  void anAnswerOfAnOlderEpochChangesNothing(BreakerState state, BreakerEvent event) {
    assertThat(BreakerMoves.next(state, event, MOMENT, SETTINGS)).isSameAs(state);
  }

  @Test
  void theWaitDoublesAtEachReopeningUpToTheCap() {
    BreakerState state = ON_THE_EDGE;
    long[] seconds = new long[6];
    long now = 0;
    for (int opening = 0; opening < seconds.length; opening++) {
      Moment moment = new Moment(now, 0);
      Open open = (Open) BreakerMoves.next(state, new Failed(state.epoch()), moment, SETTINGS);
      seconds[opening] = (open.untilNanos() - now) / 1_000_000_000;
      now = open.untilNanos();
      state = BreakerMoves.next(open, new Asked(now + 1), new Moment(now, 0), SETTINGS);
    }
    assertThat(seconds).containsExactly(10, 20, 40, 80, 120, 120);
  }

  @Test
  void onlyReopeningsHaveJitterAndItNeverReachesBeyondTheCap() {
    Moment most = new Moment(NOW, 1);
    Open first = (Open) BreakerMoves.next(ON_THE_EDGE, new Failed(7), most, SETTINGS);
    Open third = (Open) BreakerMoves.next(FIRST, new Failed(7), most, SETTINGS);
    assertThat(first.untilNanos()).isEqualTo(in(10));
    assertThat(third.untilNanos()).isEqualTo(in(32));
  }

  @Test
  void aClockPastItsOverflowIsReadRightly() {
    Moment beforeOverflow = new Moment(Long.MAX_VALUE - 5, 0);
    Open open = (Open) BreakerMoves.next(ON_THE_EDGE, new Failed(7), beforeOverflow, SETTINGS);
    Moment soon = new Moment(Long.MAX_VALUE - 5 + ofMillis(9_999).toNanos(), 0);
    assertThat(BreakerMoves.next(open, new Asked(0), soon, SETTINGS)).isSameAs(open);
  }
}
