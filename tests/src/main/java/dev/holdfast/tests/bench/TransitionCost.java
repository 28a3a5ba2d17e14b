package dev.holdfast.tests.bench;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreConfig;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.messages.InboxConfig;
import dev.holdfast.store.threads.ThreadFilesConfig;
import dev.holdfast.tasks.ledger.AttemptEnd;
import dev.holdfast.tasks.ledger.NewPlan;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.PlanOrigin;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.time.SystemTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;

/** What a stored transition of a task costs, in this process and without anybody who works. */
final class TransitionCost {
  private TransitionCost() {}

  /** Latencies in nanoseconds of the moves of tasks that are given out, begun and ended. */
  static Histogram measure(Duration span) throws Exception {
    Path folder = ServerRig.newFolder("holdfast-transitions");
    StoreHooks hooks =
        new StoreHooks(
            () -> {},
            (code, text) -> {
              throw new IllegalStateException(code + ": " + text);
            });
    Histogram nanos = new Histogram(3);
    SystemTime time = new SystemTime();
    try (Store store = Store.open(config(), folder, time, new SimpleMeterRegistry(), hooks)) {
      PlanLedger ledger = PlanLedger.open(store.engine(), store.inbox(), store.audit(), time);
      long end = System.nanoTime() + span.toNanos();
      for (int i = 0; System.nanoTime() < end; i++) {
        Plan plan = ledger.make(plan("k" + i, time), 10);
        Task task = ledger.tasksOf(plan.id()).getFirst();
        long start = System.nanoTime();
        Task.Lease lease =
            ledger.dispatch(task.id(), time.now().plus(Duration.ofMinutes(1))).orElseThrow();
        start = next(nanos, start);
        boolean _ = ledger.begin(lease, true, false);
        start = next(nanos, start);
        boolean _ = ledger.end(lease, new AttemptEnd.Succeeded("{}"), CircuitRules.DEFAULT);
        long _ = next(nanos, start);
      }
    } finally {
      ServerRig.delete(folder);
    }
    return nanos;
  }

  private static long next(Histogram nanos, long start) {
    long now = System.nanoTime();
    nanos.recordValue(now - start);
    return now;
  }

  private static NewPlan plan(String key, SystemTime time) {
    return new NewPlan(
        key,
        "goal",
        50,
        new PlanOrigin("", "", "bench"),
        time.now(),
        false,
        List.of(new Step("one", "agent", "act", "{}", Set.of())));
  }

  private static StoreConfig config() {
    return new StoreConfig(
        new InboxConfig(1000, 512, Duration.ofMillis(2), Duration.ofHours(1), 3),
        0,
        new ThreadFilesConfig(4_194_304, 50));
  }
}
