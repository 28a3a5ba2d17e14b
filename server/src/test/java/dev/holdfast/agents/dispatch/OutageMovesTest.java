package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.dispatch.OutageEvent.Failed;
import dev.holdfast.agents.dispatch.OutageEvent.FoundParked;
import dev.holdfast.agents.dispatch.OutageEvent.ModelAnswered;
import dev.holdfast.agents.dispatch.OutageEvent.ProbeBegun;
import dev.holdfast.agents.dispatch.OutageEvent.ProbeEnded;
import dev.holdfast.agents.dispatch.OutageEvent.ProbeSilent;
import dev.holdfast.agents.dispatch.OutageEvent.Refused;
import dev.holdfast.agents.dispatch.OutageMoves.Moment;
import dev.holdfast.agents.dispatch.OutageState.Answered;
import dev.holdfast.agents.dispatch.OutageState.Available;
import dev.holdfast.agents.dispatch.OutageState.Away;
import dev.holdfast.agents.dispatch.OutageState.Probing;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OutageMovesTest {
  private static final Duration RECENT = Duration.ofSeconds(10);
  private static final long NOW = 1_000_000_000_000L;
  private static final long SINCE = NOW - 5_000_000_000L;
  private static final Answered LONG_AGO = new Answered.At(NOW - RECENT.toNanos() - 1);
  private static final Answered JUST_NOW = new Answered.At(NOW - RECENT.toNanos());

  private static final OutageState UNTRIED = Available.UNTRIED;
  private static final OutageState QUIET = new Available(Set.of(), LONG_AGO);
  private static final OutageState BUSY = new Available(Set.of(), JUST_NOW);
  private static final OutageState TWO_FAIL = new Available(Set.of("x", "y"), JUST_NOW);
  private static final OutageState AWAY = new Away(SINCE, 2, false);
  private static final OutageState AWAY_AT_ONCE = new Away(SINCE, 2, true);
  private static final OutageState PROBING = new Probing(SINCE, 2, "t");

  private static final OutageEvent FAILED = new Failed("t", false);
  private static final OutageEvent FAILED_ALONE = new Failed("t", true);
  private static final OutageState BEGINS = new Away(NOW, 0, false);
  private static final OutageState PROBED_IN_VAIN = new Away(SINCE, 3, false);

  private static Arguments move(OutageState state, OutageEvent event, OutageState next) {
    return Arguments.of(state, event, next);
  }

  private static Arguments stays(OutageState state, OutageEvent event) {
    return move(state, event, state);
  }

  static Stream<Arguments> moves() {
    OutageState answered = new Available(Set.of(), new Answered.At(NOW));
    return Stream.of(
        move(UNTRIED, new FoundParked(), new Away(NOW, 0, true)),
        move(QUIET, new FoundParked(), new Away(NOW, 0, true)),
        stays(AWAY, new FoundParked()),
        stays(AWAY_AT_ONCE, new FoundParked()),
        stays(PROBING, new FoundParked()),
        move(UNTRIED, new ModelAnswered(), answered),
        move(TWO_FAIL, new ModelAnswered(), answered),
        move(AWAY, new ModelAnswered(), answered),
        move(AWAY_AT_ONCE, new ModelAnswered(), answered),
        move(PROBING, new ModelAnswered(), answered),
        move(UNTRIED, FAILED, BEGINS),
        move(QUIET, FAILED, BEGINS),
        move(BUSY, FAILED, new Available(Set.of("t"), JUST_NOW)),
        move(TWO_FAIL, FAILED, BEGINS),
        move(UNTRIED, FAILED_ALONE, new Available(Set.of("t"), new Answered.Never())),
        move(QUIET, FAILED_ALONE, new Available(Set.of("t"), LONG_AGO)),
        move(BUSY, FAILED_ALONE, new Available(Set.of("t"), JUST_NOW)),
        move(TWO_FAIL, FAILED_ALONE, BEGINS),
        stays(TWO_FAIL, new Failed("x", true)),
        stays(TWO_FAIL, new Failed("x", false)),
        stays(AWAY, FAILED),
        stays(AWAY_AT_ONCE, FAILED_ALONE),
        move(PROBING, FAILED, PROBED_IN_VAIN),
        move(PROBING, FAILED_ALONE, PROBED_IN_VAIN),
        stays(PROBING, new Failed("another", false)),
        move(UNTRIED, new Refused("t"), BEGINS),
        move(BUSY, new Refused("t"), BEGINS),
        stays(AWAY, new Refused("t")),
        stays(AWAY_AT_ONCE, new Refused("t")),
        move(PROBING, new Refused("t"), PROBED_IN_VAIN),
        stays(PROBING, new Refused("another")),
        stays(BUSY, new ProbeBegun("t")),
        move(AWAY, new ProbeBegun("t"), PROBING),
        move(AWAY_AT_ONCE, new ProbeBegun("t"), PROBING),
        stays(PROBING, new ProbeBegun("another")),
        stays(BUSY, new ProbeEnded("t")),
        stays(AWAY, new ProbeEnded("t")),
        stays(AWAY_AT_ONCE, new ProbeEnded("t")),
        move(PROBING, new ProbeEnded("t"), AWAY_AT_ONCE),
        stays(PROBING, new ProbeEnded("another")),
        stays(BUSY, new ProbeSilent()),
        stays(AWAY, new ProbeSilent()),
        stays(AWAY_AT_ONCE, new ProbeSilent()),
        move(PROBING, new ProbeSilent(), PROBED_IN_VAIN));
  }

  @ParameterizedTest
  @MethodSource("moves")
  void everyEventInEveryState(OutageState state, OutageEvent event, OutageState next) {
    assertThat(OutageMoves.next(state, event, new Moment(NOW, RECENT))).isEqualTo(next);
  }

  @Test
  void everyKindOfEventIsTriedInEveryKindOfState() {
    long pairs =
        moves()
            .map(move -> move.get()[0].getClass().getName() + move.get()[1].getClass().getName())
            .distinct()
            .count();
    assertThat(pairs)
        .isEqualTo(
            (long) OutageState.class.getPermittedSubclasses().length
                * OutageEvent.class.getPermittedSubclasses().length);
  }
}
