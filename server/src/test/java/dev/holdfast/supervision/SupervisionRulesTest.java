package dev.holdfast.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SupervisionRulesTest {
  private static final Map<CrashKind, Directive> USUALLY =
      Map.of(
          CrashKind.INVALID, Directive.RESUME,
          CrashKind.TRANSIENT, Directive.RESUME,
          CrashKind.FATAL, Directive.RESTART,
          CrashKind.FAILED_START, Directive.RESTART,
          CrashKind.PERMANENT, Directive.STOP,
          CrashKind.KILLED, Directive.STOP,
          CrashKind.UNKNOWN, Directive.ESCALATE);

  @ParameterizedTest
  @EnumSource(CrashKind.class)
  void theKindOfTheCrashDecidesAndItsCountEscalates(CrashKind kind) {
    assertThat(SupervisionRules.directive(kind, false)).isEqualTo(USUALLY.get(kind));
    boolean stops = USUALLY.get(kind) == Directive.STOP;
    assertThat(SupervisionRules.directive(kind, true))
        .isEqualTo(stops ? Directive.STOP : Directive.ESCALATE);
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void theStrategyNamesWhoIsStartedAgain(Strategy strategy) {
    int children = 4;
    for (int crashed = 0; crashed < children; crashed++) {
      List<Integer> restarted =
          switch (strategy) {
            case ONE_FOR_ONE, SIMPLE_ONE_FOR_ONE -> List.of(crashed);
            case ONE_FOR_ALL -> List.of(0, 1, 2, 3);
            case REST_FOR_ONE -> IntStream.range(crashed, children).boxed().toList();
          };
      assertThat(SupervisionRules.restarted(Directive.RESTART, strategy, crashed, children))
          .as("%s at %d", strategy, crashed)
          .isEqualTo(restarted);
      assertThat(SupervisionRules.restarted(Directive.RESUME, strategy, crashed, children))
          .containsExactly(crashed);
      assertThat(SupervisionRules.restarted(Directive.STOP, strategy, crashed, children)).isEmpty();
      assertThat(SupervisionRules.restarted(Directive.ESCALATE, strategy, crashed, children))
          .containsExactly(0, 1, 2, 3);
    }
  }

  /** Each kind of crash, in each state, for each criticality. */
  @Test
  void onlyACriticalPartThatNothingHelpsEndsTheProcess() {
    for (CrashKind kind : CrashKind.values()) {
      for (boolean tooOften : new boolean[] {false, true}) {
        for (boolean groupRestarts : new boolean[] {false, true}) {
          for (Criticality criticality : Criticality.values()) {
            Directive directive = SupervisionRules.directive(kind, tooOften);
            boolean ends =
                kind == CrashKind.PERMANENT
                    || kind == CrashKind.KILLED
                    || (tooOften && !groupRestarts);
            assertThat(SupervisionRules.fate(directive, tooOften, groupRestarts, criticality))
                .as("%s %s %s %s", kind, tooOften, groupRestarts, criticality)
                .isEqualTo(
                    !ends
                        ? Fate.RESTARTED
                        : criticality == Criticality.CRITICAL ? Fate.GIVEN_UP : Fate.LEFT_ALONE);
          }
        }
      }
    }
  }

  @Test
  void aCrashIsOfTheKindOfItsFailure() {
    for (FailureKind kind : FailureKind.values()) {
      Failure failure = Failure.of(FailureCode.INTERNAL, "x").as(kind);
      assertThat(CrashKind.of(new CallFailedException(failure)).name()).isEqualTo(kind.name());
    }
    assertThat(CrashKind.of(new IOException())).isEqualTo(CrashKind.TRANSIENT);
    assertThat(CrashKind.of(new UncheckedIOException(new IOException())))
        .isEqualTo(CrashKind.TRANSIENT);
    assertThat(CrashKind.of(new IllegalStateException())).isEqualTo(CrashKind.FATAL);
    assertThat(CrashKind.of(new StackOverflowError())).isEqualTo(CrashKind.FATAL);
    assertThat(CrashKind.of(new NoClassDefFoundError())).isEqualTo(CrashKind.UNKNOWN);
  }
}
