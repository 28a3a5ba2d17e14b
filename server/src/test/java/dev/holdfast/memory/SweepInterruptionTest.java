package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.RemoteUse;
import dev.holdfast.store.messages.ThreadReader;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What ends a sweep before it is done. */
@Timeout(60)
class SweepInterruptionTest extends MemorySweepsFixture {
  @ParameterizedTest
  @ValueSource(strings = {"BEFORE", "AFTER"})
  void aCrashLeavesTheOldFileOrTheNewOneAndIsToldOnce(String when) throws Exception {
    corpus();
    String before = text();
    calm.crash = Calm.Crash.valueOf(when);
    model.answers.add(GOOD);
    String id = sweeps.request("token:ann", THREAD, false).orElseThrow();
    loops.getFirst().join();
    loops.clear();
    boolean isReplaced = when.equals("AFTER");
    assertThat(text().equals(before)).isNotEqualTo(isReplaced);
    assertThat(audit()).isEmpty();
    calm.crash = Calm.Crash.NONE;
    sweeps = start();
    await(() -> sweeps.find(id).orElseThrow().getString("ended_at") != null);
    await(() -> audit().size() == (isReplaced ? 1 : 0));
    if (!isReplaced) {
      model.answers.add(GOOD);
      assertThat(sweep(false).getInteger("merged")).isEqualTo(2);
    }
    assertThat(audit()).containsExactly("memory.swept");
    assertThat(text()).startsWith(MINE).contains("Kiel").doesNotContain("Bonn");
  }

  @Test
  void aTurnThatBeginsTakesTheQuestionBackAndItIsAskedLater() throws Exception {
    corpus();
    String id = sweeps.request("token:ann", THREAD, false).orElseThrow();
    await(() -> model.asked.size() == 1);
    calm.quiet = false;
    await(() -> calm.busyLooks.get() >= 10);
    assertThat(outcome(id)).isEqualTo("running");
    assertThat(model.asked).hasSize(1);
    model.answers.add(GOOD);
    calm.quiet = true;
    await(() -> outcome(id).equals("done"));
    assertThat(model.asked).hasSizeBetween(2, 3);
    assertThat(text()).contains("Kiel");
  }

  @Test
  void aStopTakesTheQuestionBackAndNoSweepBeginsAfterIt() throws Exception {
    corpus();
    String before = text();
    String id = sweeps.request("token:ann", THREAD, false).orElseThrow();
    await(() -> model.asked.size() == 1);
    assertThat(sweeps.stop(Duration.ofSeconds(5))).isTrue();
    assertThat(outcome(id)).isEqualTo("cancelled");
    assertThat(text()).isEqualTo(before);
    assertThat(sweeps.request("token:ann", THREAD, false)).isEmpty();
    stopLoops();
    model.answers.add(GOOD);
    sweeps = start();
    await(() -> sweeps.runs(9).encode().contains("done"));
    assertThat(text()).contains("Kiel");
    stopLoops();
    sweeps = start();
    assertThat(sweeps.runs(9)).as("once").hasSize(2);
  }

  @Test
  void aScheduledSweepThatAStopOrTheModeEndedIsMadeAgain() throws Exception {
    corpus();
    isChatThread(THREAD);
    enabled = true;
    await(() -> model.asked.size() == 1);
    calm.mayWork = false;
    await(() -> sweeps.runs(9).encode().contains("\"outcome\":\"mode\""));
    await(() -> sweeps.status().getBoolean("waits_for_mode"));
    calm.mayWork = true;
    await(() -> model.asked.size() == 2);
    assertThat(sweeps.stop(Duration.ofSeconds(5))).isTrue();
    stopLoops();
    model.answers.add(GOOD);
    sweeps = start();
    await(() -> sweeps.runs(9).encode().contains("done"));
    assertThat(text()).contains("Kiel");
    assertThat(sweeps.runs(9)).hasSize(3);
    assertThat(sweeps.status().getBoolean("waits_for_mode")).isFalse();
    assertThat(sweeps.status().getString("next_at")).isEqualTo("2026-01-02T00:00:00Z");
  }

  @Test
  void aSpentBudgetAndAnAbsentModelEndTheSweep() throws Exception {
    corpus();
    budget.remote = RemoteUse.NONE;
    assertThat(sweep(false).getString("outcome")).isEqualTo("budget");
    assertThat(model.asked).isEmpty();
    budget.remote = RemoteUse.FREE;
    model.isAway = true;
    assertThat(sweep(false).getString("outcome")).isEqualTo("no_model");
    model.isAway = false;
    model.answers.add(GOOD);
    assertThat(sweep(false).getInteger("merged")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSweepThatAFullDiskEndsIsNotRunningForEver(boolean isReplaced) throws Exception {
    corpus();
    AtomicBoolean isFull = new AtomicBoolean();
    store.engine().refuseWhile(isFull::get);
    String id = sweeps.request("token:ann", THREAD, false).orElseThrow();
    await(() -> model.asked.size() == 1);
    calm.after = () -> isFull.set(true);
    isFull.set(!isReplaced);
    model.answers.add(GOOD);
    await(() -> !outcome(id).equals("running"));
    assertThat(outcome(id)).isEqualTo("failed");
    assertThat(sweeps.runs(9).getJsonObject(0).getString("outcome")).isEqualTo("failed");
    isFull.set(false);
    calm.after = () -> {};
    await(() -> SweepRun.Outcome.FAILED == recorded(id));
    await(() -> store.audit().list(ThreadReader.OPERATOR, 0, 100).size() == (isReplaced ? 1 : 0));
    assertThat(text().contains("Kiel")).isEqualTo(isReplaced);
    model.answers.add(isReplaced ? answer() : GOOD);
    assertThat(sweep(false).getString("outcome")).isEqualTo("done");
    assertThat(text()).contains("Kiel");
    assertThat(audit()).containsExactly("memory.swept");
  }

  private SweepRun.Outcome recorded(String id) {
    return store
        .engine()
        .read(
            sql ->
                sql.first(
                    row -> SweepRun.Outcome.valueOf(row.getString(1)),
                    "select outcome from memory_sweep_runs where id = ?",
                    id))
        .orElseThrow();
  }

  @Test
  void aConversationThatHasUsedUpItsBudgetIsNotAskedAbout() throws Exception {
    corpus();
    String before = text();
    budget.isThreadSpent = () -> true;
    JsonObject run = sweep(false);
    assertThat(run.getString("outcome")).isEqualTo("budget");
    assertThat(story(run).getString("outcome")).isEqualTo("budget");
    assertThat(model.asked).isEmpty();
    budget.isThreadSpent = () -> !model.asked.isEmpty();
    model.answers.add("{");
    assertThat(sweep(false).getString("outcome")).as("no second try").isEqualTo("budget");
    assertThat(model.asked).hasSize(1);
    assertThat(text()).isEqualTo(before);
    budget.isThreadSpent = () -> false;
    model.answers.add(GOOD);
    assertThat(sweep(false).getInteger("merged")).isEqualTo(2);
  }

  @Test
  void aModeInWhichNoTasksStartTakesTheQuestionBack() throws Exception {
    corpus();
    String id = sweeps.request("token:ann", THREAD, false).orElseThrow();
    await(() -> model.asked.size() == 1);
    calm.mayWork = false;
    await(() -> outcome(id).equals("mode"));
    assertThat(sweeps.find(id).orElseThrow().getString("note")).contains("mode");
    assertThat(sweep(false).getString("outcome")).isEqualTo("mode");
    assertThat(model.asked).hasSize(1);
    calm.mayWork = true;
    model.answers.add(GOOD);
    assertThat(sweep(false).getInteger("merged")).isEqualTo(2);
  }

  @Test
  void aSweepThatAKillCutOffIsCountedAndMadeAgainOnce() throws Exception {
    corpus();
    stopLoops();
    SweepRun cut =
        new SweepRun(
            "r1", time.now(), null, "token:ann", THREAD, false, SweepRun.Outcome.RUNNING, 0, "");
    SweepLedger.open(store.engine(), store.audit()).keep(cut);
    model.answers.add(GOOD);
    sweeps = start();
    await(() -> sweeps.runs(9).encode().contains("done"));
    assertThat(outcome("r1")).isEqualTo("cut_off");
    assertThat(sweeps.runs(9)).hasSize(2);
    assertThat(registry.counter("holdfast.memory.sweep.runs", "outcome", "cut_off").count())
        .isEqualTo(1);
  }
}
