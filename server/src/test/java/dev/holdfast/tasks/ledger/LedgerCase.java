package dev.holdfast.tasks.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.time.ManualTime;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A ledger in a folder of its own. */
@Timeout(60)
abstract class LedgerCase {
  @TempDir Path folder;
  final ManualTime time = new ManualTime();
  TestStore it;
  PlanLedger ledger;

  @BeforeEach
  void open() throws Exception {
    it = new TestStore(folder);
    ledger = PlanLedger.open(it.store.engine(), it.store.inbox(), it.store.audit(), time);
  }

  @AfterEach
  void close() {
    it.close();
  }

  final void reopen() throws Exception {
    close();
    open();
  }

  static Step step(String name, String... needs) {
    return new Step(name, "a", "do", "{}", Set.of(needs));
  }

  final NewPlan wanted(String key, Step... steps) {
    return new NewPlan(
        key,
        "goal",
        50,
        new PlanOrigin("web:main:t", "e1", "ann"),
        time.now(),
        false,
        List.of(steps));
  }

  final Plan make(String key, Step... steps) throws StoreException {
    return ledger.make(wanted(key, steps), 100);
  }

  final Task task(Plan plan, int position) {
    return ledger.tasksOf(plan.id()).get(position);
  }

  final Task.Lease begun(Task task, boolean repeatable) throws StoreException {
    Task.Lease lease = ledger.dispatch(task.id(), time.now().plusSeconds(30)).orElseThrow();
    assertThat(ledger.begin(lease, repeatable, false)).isTrue();
    return lease;
  }

  final PlanState stateOf(Plan plan) {
    return ledger.find(plan.id()).orElseThrow().state();
  }
}
