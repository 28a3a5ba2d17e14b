package dev.holdfast.tasks.run;

import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.PlanMoved;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets callers wait for the end of a plan. Thread-safe. */
final class PlanWaits {
  /** Should a move ever be missed, the end is seen all the same. */
  private static final long LOOK_MILLIS = 1000;

  private final PlanLedger ledger;
  private final Time time;

  /** Opens when any plan ends. */
  private volatile CountDownLatch nextEnd = new CountDownLatch(1);

  PlanWaits(PlanLedger ledger, Time time) {
    this.ledger = ledger;
    this.time = time;
  }

  /** On the writer's thread. */
  void moved(PlanMoved move) {
    if (move.taskId().isEmpty() && PlanState.valueOf(move.to()).isTerminal()) {
      CountDownLatch ended = nextEnd;
      nextEnd = new CountDownLatch(1);
      ended.countDown();
    }
  }

  /** The plan as it is at its end, or after {@code limit}; empty when there is none. Blocks. */
  Optional<Plan> awaitEnd(String planId, Duration limit) throws InterruptedException {
    long endNanos = time.nanos() + limit.toNanos();
    while (true) {
      CountDownLatch end = nextEnd;
      Optional<Plan> plan = ledger.find(planId);
      long left = Duration.ofNanos(endNanos - time.nanos()).toMillis();
      if (plan.isEmpty() || plan.get().state().isTerminal() || left <= 0) {
        return plan;
      }
      boolean _ = end.await(Math.min(left, LOOK_MILLIS), TimeUnit.MILLISECONDS);
    }
  }
}
