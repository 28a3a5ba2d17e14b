package dev.holdfast.modes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditRow;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The mode of one process after another, over one data folder. */
@Timeout(60)
class ModesTest {
  private static final ModeFacts WELL = facts(false, List.of());
  private static final ModeFacts SPENT = facts(true, List.of());

  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

  private static ModeFacts facts(boolean spent, List<DownPart> down) {
    return new ModeFacts(down, List.of(), List.of(), spent, List.of(), List.of(), false);
  }

  @Test
  void aNewServerIsFullAndHasNoHistory() throws Exception {
    inOneRun(
        modes -> {
          modes.boot(WELL);
          assertThat(modes.get()).isEqualTo(ModeNow.FULL);
          assertThat(modes.changes()).isEmpty();
          assertThat(modes.reports()).isEmpty();
          assertThat(gauge(Mode.FULL)).isOne();
          assertThat(gauge(Mode.SAFE)).isZero();
        });
  }

  @Test
  void whatAnOperatorStopsStaysStoppedOverRestartsUntilAnOperatorLetsItGoOn() throws Exception {
    inOneRun(modes -> modes.stop("a bad release", "token:ops"));
    inOneRun(
        modes -> {
          assertThat(modes.get().mode()).as("before anything runs").isEqualTo(Mode.SAFE);
          modes.boot(WELL);
          time.advance(Duration.ofHours(1));
          modes.look(WELL);
          assertThat(modes.get().mode()).isEqualTo(Mode.SAFE);
          assertThat(modes.get().sentence()).isEqualTo(ModeRule.STOPPED_BY_HAND.sentence());
          assertThat(modes.reason()).isEqualTo("a bad release");
          assertThat(modes.changes()).hasSize(1);
          modes.goOn(WELL, "", "token:ops");
          assertThat(modes.get().mode()).isEqualTo(Mode.FULL);
        });
    inOneRun(modes -> assertThat(modes.get().mode()).isEqualTo(Mode.FULL));
  }

  @Test
  void aRestoredCopyRunsNothingUntilItIsPromotedWhichCountsAtOnce() throws Exception {
    ModeFacts copy =
        new ModeFacts(List.of(), List.of(), List.of(), false, List.of(), List.of(), true);
    inOneRun(
        modes -> {
          modes.boot(copy);
          assertThat(modes.get().mode()).isEqualTo(Mode.SAFE);
          assertThat(modes.get().sentence()).as("what its original's people read").isEmpty();
          modes.goOn(copy, "", "token:ops");
          modes.stop("wait", "token:ops");
          modes.goOn(copy, "", "token:ops");
          assertThat(modes.rule()).isEqualTo(ModeRule.RESTORED_COPY);
        });
    inOneRun(
        modes -> {
          modes.boot(copy);
          modes.promoted(WELL);
          assertThat(modes.get().mode()).isEqualTo(Mode.FULL);
        });
  }

  @Test
  void aConditionHoldsNoWordOfAnOperator() throws Exception {
    List<DownPart> down = List.of(new DownPart(DownPart.MODELS, Duration.ofSeconds(60)));
    inOneRun(
        modes -> {
          modes.stop("bob's key", "token:ops");
          assertThat(told(modes))
              .isEqualTo("An operator has stopped the server. See why with holdfast mode.");
        });
    inOneRun(
        modes -> {
          modes.boot(WELL);
          assertThat(told(modes)).contains("An operator has stopped").doesNotContain("bob");
          modes.goOn(facts(false, down), "bob's key again", "token:ops");
          assertThat(modes.reason()).isEqualTo("bob's key again");
          assertThat(told(modes)).isEqualTo("No model can be reached. (models)");
        });
    inOneRun(
        modes -> {
          assertThat(told(modes)).isEqualTo("No model can be reached.");
          modes.stop("", "token:ops");
          modes.goOn(SPENT, "bob pays", "token:ops");
          assertThat(told(modes)).contains("budget").doesNotContain("bob");
        });
  }

  private static String told(Modes modes) {
    return modes.reports().getFirst().message();
  }

  @Test
  void whatTheServerFoundOutIsKeptAndNotHeardTwice() throws Exception {
    List<ModeChange> heard = new ArrayList<>();
    inOneRun(
        modes -> {
          modes.onChange(heard::add);
          modes.look(SPENT);
          modes.look(SPENT);
          time.advance(ModeMoves.PAUSE.minusNanos(1));
          modes.look(WELL);
          assertThat(modes.get().mode()).isEqualTo(Mode.LIMITED_API);
          assertThat(modes.reports())
              .singleElement()
              .satisfies(report -> assertThat(report.reason()).isEqualTo("limited_api"));
          assertThat(gauge(Mode.LIMITED_API)).isOne();
          assertThat(meters.counter("holdfast.mode.changes", "mode", "limited_api").count())
              .isOne();
        });
    assertThat(heard)
        .singleElement()
        .satisfies(
            change -> {
              assertThat(change.number()).isOne();
              assertThat(change.rule()).isEqualTo(ModeRule.BUDGET_SPENT);
              assertThat(change.isByHand()).isFalse();
            });
    inOneRun(
        modes -> {
          assertThat(modes.changes()).isEqualTo(heard);
          modes.boot(WELL);
          assertThat(modes.get().mode()).isEqualTo(Mode.FULL);
          assertThat(modes.get().number()).isEqualTo(2);
        });
  }

  @Test
  void twoPartsDownStopTheServerForThoseWhoComeAfterARestartToo() throws Exception {
    List<DownPart> down =
        List.of(
            new DownPart("store", Duration.ofSeconds(60)),
            new DownPart(DownPart.MODELS, Duration.ofSeconds(60)));
    inOneRun(
        modes -> {
          modes.look(facts(false, down));
          assertThat(modes.reason()).endsWith("(store, models)");
        });
    inOneRun(
        modes -> {
          modes.boot(WELL);
          assertThat(modes.rule()).isEqualTo(ModeRule.CRITICAL_PARTS_DOWN);
          modes.stop("", "token:ops");
          assertThat(modes.rule()).isEqualTo(ModeRule.STOPPED_BY_HAND);
          assertThat(modes.changes()).hasSize(2);
          modes.stop("again", "token:ops");
          assertThat(modes.changes()).hasSize(2);
        });
  }

  @Test
  void eachChangeStandsInTheAuditOnce() throws Exception {
    try (TestStore store = new TestStore(folder)) {
      Modes modes = open(store);
      modes.look(SPENT);
      modes.stop("enough", "token:ops");
      assertThat(store.store.audit().list(ThreadReader.OPERATOR, 0, 10))
          .map(AuditRow::entry)
          .extracting("what", "actor")
          .containsExactly(tuple("operator.mode", "token:ops"), tuple("mode.changed", "server"));
      store.closeCleanly();
    }
  }

  @Test
  void twentyChangesAreShown() throws Exception {
    inOneRun(
        modes -> {
          for (int i = 0; i < 15; i++) {
            modes.stop("", "token:ops");
            modes.goOn(WELL, "", "token:ops");
          }
          assertThat(modes.changes()).hasSize(20);
          assertThat(modes.changes().getFirst().number()).isEqualTo(30);
        });
    inOneRun(modes -> assertThat(modes.changes()).hasSize(20));
  }

  @Test
  void anOperatorsWordThatCannotBeWrittenDoesNotCount() throws Exception {
    TestStore store = new TestStore(folder);
    Modes modes = open(store);
    store.closeCleanly();
    assertThatThrownBy(() -> modes.stop("", "token:ops")).isInstanceOf(StoreException.class);
    assertThat(modes.get().mode()).isEqualTo(Mode.FULL);
    modes.look(SPENT);
    assertThat(modes.get().mode()).as("what fails may be the disk").isEqualTo(Mode.LIMITED_API);
  }

  private double gauge(Mode mode) {
    return meters.get("holdfast.mode").tag("mode", mode.label()).gauge().value();
  }

  /** What one process does. */
  private interface Run {
    void with(Modes modes) throws Exception;
  }

  private void inOneRun(Run run) throws Exception {
    try (TestStore store = new TestStore(folder)) {
      meters.clear();
      run.with(open(store));
      store.closeCleanly();
    }
  }

  private Modes open(TestStore store) throws Exception {
    return Modes.open(store.store.engine(), store.store.audit(), time, meters);
  }
}
