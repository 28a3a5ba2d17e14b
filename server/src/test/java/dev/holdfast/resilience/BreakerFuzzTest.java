package dev.holdfast.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resilience.BreakerMoves.Moment;
import dev.holdfast.resilience.BreakerState.Closed;
import dev.holdfast.resilience.BreakerState.HalfOpen;
import dev.holdfast.resilience.BreakerState.Open;
import dev.holdfast.resilience.BreakerState.Trying;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Random lives of a breaker: whatever happens in whatever order, its promises hold. */
class BreakerFuzzTest {
  private static final BreakerSettings SETTINGS =
      new BreakerSettings(3, 2, Duration.ofSeconds(10), Duration.ofSeconds(120));

  /**
   * One thing that happens {@code passedMillis} after the one before; {@code late} outcomes are of
   * an old epoch.
   */
  record Act(Kind kind, int passedMillis, int late, double jitter) {}

  enum Kind {
    ASK,
    SUCCEED,
    FAIL,
    PART_FAIL,
    PARTS_FAIL,
    NEUTRAL,
    ELAPSE,
    TRIP,
    BLOCK,
    RESET
  }

  @Provide
  Arbitrary<List<Act>> lives() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            net.jqwik.api.Tuple.of(8, Kind.ASK),
            net.jqwik.api.Tuple.of(4, Kind.SUCCEED),
            net.jqwik.api.Tuple.of(8, Kind.FAIL),
            net.jqwik.api.Tuple.of(4, Kind.PART_FAIL),
            net.jqwik.api.Tuple.of(2, Kind.PARTS_FAIL),
            net.jqwik.api.Tuple.of(2, Kind.NEUTRAL),
            net.jqwik.api.Tuple.of(2, Kind.ELAPSE),
            net.jqwik.api.Tuple.of(1, Kind.TRIP),
            net.jqwik.api.Tuple.of(1, Kind.BLOCK),
            net.jqwik.api.Tuple.of(1, Kind.RESET));
    return Combinators.combine(
            kinds,
            Arbitraries.integers().between(0, 30_000),
            Arbitraries.integers().between(0, 2),
            Arbitraries.doubles().between(0, 1))
        .as(Act::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(200);
  }

  @Property(tries = 2000)
  void itsPromisesHoldWhateverHappens(@ForAll("lives") List<Act> life) {
    BreakerState state = new Closed(1, 0);
    long now = 0;
    for (Act act : life) {
      now += act.passedMillis() * 1_000_000L;
      BreakerEvent event = event(act, state, now);
      BreakerState next = BreakerMoves.next(state, event, new Moment(now, act.jitter()), SETTINGS);
      check(state, event, next, now);
      state = next;
    }
    assertThat(BreakerMoves.next(state, new BreakerEvent.Reset(), new Moment(now, 0), SETTINGS))
        .isEqualTo(new Closed(state.epoch() + 1, 0));
  }

  private static BreakerEvent event(Act act, BreakerState state, long now) {
    long epoch = state.epoch() - act.late();
    return switch (act.kind()) {
      case ASK -> new BreakerEvent.Asked(now + 60_000_000_000L);
      case SUCCEED -> new BreakerEvent.Succeeded(epoch);
      case FAIL -> new BreakerEvent.Failed(epoch);
      case PART_FAIL -> new BreakerEvent.PartFailed(epoch, false);
      case PARTS_FAIL -> new BreakerEvent.PartFailed(epoch, true);
      case NEUTRAL -> new BreakerEvent.Neutral(epoch);
      case ELAPSE -> new BreakerEvent.Elapsed(epoch);
      case TRIP -> new BreakerEvent.Tripped();
      case BLOCK -> new BreakerEvent.BlockedByHand();
      case RESET -> new BreakerEvent.Reset();
    };
  }

  private static void check(BreakerState state, BreakerEvent event, BreakerState next, long now) {
    boolean otherKind = state.getClass() != next.getClass();
    assertThat(next.epoch()).isBetween(state.epoch(), state.epoch() + 1);
    assertThat(otherKind)
        .as("a new kind of state voids old permits")
        .isIn(false, next.epoch() > state.epoch());
    if (next instanceof Closed closed) {
      assertThat(closed.failures()).isLessThan(SETTINGS.failureThreshold());
    }
    if (next instanceof Open open && next != state) {
      assertThat(event)
          .isInstanceOfAny(
              BreakerEvent.Failed.class, BreakerEvent.PartFailed.class, BreakerEvent.Tripped.class);
      assertThat(open.untilNanos() - now)
          .isBetween(8_000_000_000L, SETTINGS.maxBackoff().toNanos());
    }
    if (next instanceof Closed && !(state instanceof Closed)) {
      boolean earned = state instanceof Trying trying && trying.successes() == 1;
      assertThat(event instanceof BreakerEvent.Reset || earned).isTrue();
    }
    if (state instanceof Open open
        && now < open.untilNanos()
        && event instanceof BreakerEvent.Asked) {
      assertThat(BreakerMoves.admits(state, next)).isFalse();
    }
    if (state instanceof Trying trying && event instanceof BreakerEvent.Asked) {
      assertThat(BreakerMoves.admits(state, next)).isEqualTo(now >= trying.trialEndsNanos());
    }
    if (state instanceof BreakerState.Blocked) {
      assertThat(next == state).isEqualTo(!(event instanceof BreakerEvent.Reset));
      assertThat(BreakerMoves.admits(state, state)).isFalse();
    }
    if (state instanceof HalfOpen && event instanceof BreakerEvent.Asked) {
      assertThat(BreakerMoves.admits(state, next)).isTrue();
    }
  }
}
