package dev.holdfast.modes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.modes.ModeEvent.Booted;
import dev.holdfast.modes.ModeEvent.GoOnAsked;
import dev.holdfast.modes.ModeEvent.Looked;
import dev.holdfast.modes.ModeEvent.StopAsked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class ModeMovesTest {
  private static final long NOW = 1_000_000_000_000L;
  private static final long LONG_AGO = NOW - ModeMoves.PAUSE.toNanos();
  private static final ModeFacts WELL =
      new ModeFacts(List.of(), List.of("llm:a"), List.of(), false, List.of(), List.of(), false);

  /** For each rule that is seen, the least that makes it hold. */
  private static final Map<ModeRule, ModeFacts> CAUSES =
      Map.of(
          ModeRule.RESTORED_COPY,
              new ModeFacts(List.of(), List.of(), List.of(), false, List.of(), List.of(), true),
          ModeRule.CRITICAL_PARTS_DOWN, down(60, "store", DownPart.MODELS),
          ModeRule.MODELS_UNAVAILABLE, down(0, DownPart.MODELS),
          ModeRule.PART_DOWN, down(10, "orchestrator"),
          ModeRule.TASKS_DOWN, down(0, DownPart.TASKS),
          ModeRule.BUDGET_SPENT, facts(List.of(), List.of(), true, List.of(), false),
          ModeRule.PROVIDERS_OPEN, facts(List.of(), List.of("llm:a"), false, List.of(), false),
          ModeRule.INTERRUPTED_WORK, facts(List.of(), List.of(), false, List.of(), true),
          ModeRule.WORKERS_GIVEN_UP, facts(List.of(), List.of(), false, List.of("git"), false),
          ModeRule.ALL_WELL, WELL);

  private static ModeFacts facts(
      List<DownPart> down, List<String> open, boolean spent, List<String> givenUp, boolean cut) {
    return new ModeFacts(
        down, List.of("llm:a"), open, spent, givenUp, cut ? List.of("messages") : List.of(), false);
  }

  private static ModeFacts down(int seconds, String... names) {
    List<DownPart> parts =
        Arrays.stream(names).map(name -> new DownPart(name, Duration.ofSeconds(seconds))).toList();
    return facts(parts, List.of(), false, List.of(), false);
  }

  private static Standing lasting(ModeRule rule) {
    return new Standing(rule, LONG_AGO);
  }

  @Test
  void eachRuleIsEnteredByItsOwnCauseFromEachThatMayEnd() {
    for (ModeRule before : ModeRule.values()) {
      CAUSES.forEach(
          (rule, facts) -> {
            Standing next = ModeMoves.next(lasting(before), new Looked(facts), NOW);
            boolean stays = before.isEndedByHand();
            assertThat(next.rule())
                .as("%s, then %s", before, rule)
                .isEqualTo(stays ? before : rule);
            assertThat(next.sinceNanos()).isEqualTo(next.mode() == before.mode() ? LONG_AGO : NOW);
          });
    }
  }

  @Test
  void aModeThatIsYoungStaysUnlessAnOperatorSpeaks() {
    for (ModeRule before : ModeRule.values()) {
      Standing young = new Standing(before, NOW - ModeMoves.PAUSE.toNanos() + 1);
      CAUSES.forEach(
          (rule, facts) -> {
            assertThat(ModeMoves.next(young, new Looked(facts), NOW).mode())
                .as("%s, then %s", before, rule)
                .isEqualTo(before.mode());
            assertThat(ModeMoves.next(young, new StopAsked(), NOW).rule())
                .isEqualTo(ModeRule.STOPPED_BY_HAND);
          });
    }
  }

  @Test
  void aStartTakesWhatHoldsAtOnceButWhatOnlyAnOperatorEnds() {
    for (ModeRule before : ModeRule.values()) {
      CAUSES.forEach(
          (rule, facts) ->
              assertThat(ModeMoves.next(new Standing(before, NOW), new Booted(facts), NOW).rule())
                  .as("%s, then %s", before, rule)
                  .isEqualTo(before.isEndedByHand() ? before : rule));
    }
  }

  @Test
  void anOperatorsGoOnEndsASafeModeAtOnceAndBeginsNone() {
    for (ModeRule before : List.of(ModeRule.STOPPED_BY_HAND, ModeRule.CRITICAL_PARTS_DOWN)) {
      CAUSES.forEach(
          (rule, facts) -> {
            Standing next = ModeMoves.next(new Standing(before, NOW), new GoOnAsked(facts), NOW);
            assertThat(next.mode() == Mode.SAFE)
                .as("%s, then %s", before, rule)
                .isEqualTo(rule == ModeRule.RESTORED_COPY);
            if (rule != ModeRule.CRITICAL_PARTS_DOWN) {
              assertThat(next.rule()).isEqualTo(rule);
            }
          });
    }
  }

  @Test
  void anOperatorsGoOnIsALookLikeAnyOtherWhileNothingIsStopped() {
    for (ModeRule before : ModeRule.values()) {
      if (before.isEndedByHand()) {
        continue;
      }
      CAUSES.forEach(
          (rule, facts) ->
              assertThat(ModeMoves.next(lasting(before), new GoOnAsked(facts), NOW))
                  .as("%s, then %s", before, rule)
                  .isEqualTo(ModeMoves.next(lasting(before), new Looked(facts), NOW)));
    }
  }

  @Test
  void whatIsJustBelowALimitDoesNotCount() {
    assertThat(rule(down(59, "store", "orchestrator"))).isEqualTo(ModeRule.PART_DOWN);
    assertThat(rule(down(600, "store"))).isEqualTo(ModeRule.PART_DOWN);
    assertThat(rule(down(9, "store", "orchestrator"))).isEqualTo(ModeRule.ALL_WELL);
    assertThat(rule(down(60, "store", DownPart.TASKS)))
        .as("conversations need no tasks")
        .isEqualTo(ModeRule.PART_DOWN);
    ModeFacts oneOfTwo =
        new ModeFacts(
            List.of(),
            List.of("llm:a", "llm:b"),
            List.of("llm:a"),
            false,
            List.of(),
            List.of(),
            false);
    assertThat(rule(oneOfTwo)).isEqualTo(ModeRule.ALL_WELL);
    ModeFacts noneAtAll =
        new ModeFacts(List.of(), List.of(), List.of(), false, List.of(), List.of(), false);
    assertThat(rule(noneAtAll)).isEqualTo(ModeRule.ALL_WELL);
  }

  private static ModeRule rule(ModeFacts facts) {
    return ModeMoves.next(lasting(ModeRule.ALL_WELL), new Looked(facts), NOW).rule();
  }

  @Test
  void theRulesStandWorstFirstAndEachModeHasOne() {
    List<Mode> modes = Arrays.stream(ModeRule.values()).map(ModeRule::mode).toList();
    assertThat(modes).isSortedAccordingTo(Comparator.reverseOrder());
    assertThat(modes).contains(Mode.values());
  }

  @Test
  void aWorseModeAllowsNothingThatABetterOneWithholds() {
    List<Mode> all = List.of(Mode.values());
    for (int i = 1; i < all.size(); i++) {
      Mode better = all.get(i - 1);
      Mode worse = all.get(i);
      assertThat(worse.runsTurns() && !better.runsTurns()).isFalse();
      assertThat(!worse.sparesRemoteModels() && better.sparesRemoteModels()).isFalse();
      assertThat(worse.startsTasks() && !better.startsTasks()).isFalse();
      assertThat(worse.startsStrategicTasks() && !better.startsStrategicTasks()).isFalse();
    }
  }

  @Test
  void whatStopsAllWorkHasWordsForThoseWhoWait() {
    for (ModeRule rule : ModeRule.values()) {
      assertThat(rule.sentence().isEmpty())
          .as("%s; a copy leaves the talking to its original", rule)
          .isEqualTo(rule.mode().runsTurns() || rule == ModeRule.RESTORED_COPY);
      assertThat(rule.exit()).as("%s", rule).startsWith("Ends ").endsWith(".");
      assertThat(rule.entry()).as("%s", rule).endsWith(".");
    }
  }

  /** One second of some server's life. */
  record Second(ModeFacts facts, boolean stops, boolean goesOn) {}

  @Provide
  Arbitrary<List<Second>> lives() {
    Arbitrary<ModeFacts> facts = Arbitraries.of(CAUSES.values());
    Arbitrary<Integer> words = Arbitraries.integers().between(0, 30);
    return Combinators.combine(facts, words)
        .as((now, word) -> new Second(now, word == 0, word == 1))
        .list()
        .ofMaxSize(300);
  }

  @Property(tries = 200)
  void betweenChangesThatNobodyAskedForLieThirtySeconds(@ForAll("lives") List<Second> life) {
    Standing standing = new Standing(ModeRule.ALL_WELL, -ModeMoves.PAUSE.toNanos());
    long changed = Long.MIN_VALUE / 2;
    for (int second = 0; second < life.size(); second++) {
      long nanos = Duration.ofSeconds(second).toNanos();
      Standing next = ModeMoves.next(standing, event(life.get(second)), nanos);
      boolean byHand = life.get(second).stops() || life.get(second).goesOn();
      if (next.mode() != standing.mode()) {
        assertThat(byHand || nanos - changed >= ModeMoves.PAUSE.toNanos()).isTrue();
        changed = nanos;
      }
      standing = next;
    }
  }

  @Property(tries = 200)
  void nothingButAWordLeavesSafeMode(@ForAll("lives") List<Second> life) {
    Standing standing = new Standing(ModeRule.ALL_WELL, 0);
    for (int second = 0; second < life.size(); second++) {
      Standing next =
          ModeMoves.next(standing, event(life.get(second)), Duration.ofSeconds(second).toNanos());
      if (standing.rule().isEndedByHand() && !life.get(second).goesOn()) {
        assertThat(next.mode()).isEqualTo(Mode.SAFE);
      }
      standing = next;
    }
  }

  @Property(tries = 200)
  void halfAMinuteOfTheSameLeadsToTheWorstThatHolds(@ForAll("lives") List<Second> life) {
    Standing standing = new Standing(ModeRule.ALL_WELL, 0);
    List<Second> whole = new ArrayList<>(life);
    whole.add(new Second(WELL, false, true));
    long nanos = 0;
    for (Second second : whole) {
      nanos += Duration.ofSeconds(1).toNanos();
      standing = ModeMoves.next(standing, event(second), nanos);
    }
    for (ModeRule rule : CAUSES.keySet()) {
      Standing later =
          ModeMoves.next(standing, new Looked(CAUSES.get(rule)), nanos + ModeMoves.PAUSE.toNanos());
      assertThat(later.rule()).isEqualTo(rule);
    }
  }

  private static ModeEvent event(Second second) {
    return second.stops()
        ? new StopAsked()
        : second.goesOn() ? new GoOnAsked(second.facts()) : new Looked(second.facts());
  }
}
