package dev.holdfast.tasks.run;

import dev.holdfast.store.engine.StoreException;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.StepRevisions;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.tasks.run.GoalJudge.Judgement;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has models write the steps of drafts, and judge plans whose steps have failed. What is to be
 * thought about stands on disk, so a restart begins it anew. Thread-safe.
 */
public final class PlanThinker {
  private static final Logger LOG = LoggerFactory.getLogger(PlanThinker.class);
  private static final Duration PERIOD = Duration.ofMillis(300);
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);
  private static final Duration WAIT_MIN = Duration.ofSeconds(10);
  private static final Duration WAIT_MAX = Duration.ofMinutes(5);

  /** A draft waits so long for a model. */
  static final Duration PATIENCE = Duration.ofDays(1);

  private static final int AT_ONCE = 4;
  private static final int SHIFT_MAX = 10;

  private final PlanLedger ledger;
  private final StepCheck check;
  private final StepWriter writer;
  private final GoalJudge judge;
  private final Settings settings;
  private final Time time;
  private final Runnable decided;
  private final Map<String, Thread> busy = new ConcurrentHashMap<>();

  /** Drafts for which no model was reached. */
  private final Map<String, Wait> waits = new ConcurrentHashMap<>();

  private record Wait(int times, long untilNanos) {}

  /**
   * What the configuration says now.
   *
   * @param mayStart whether models are asked
   * @param mayJudge whether those of the level strategic are asked; else judgements wait
   * @param supervised whether a person is asked before unsafe actions of a replan
   * @param openMax how many tasks may be open
   */
  public record Settings(
      BooleanSupplier mayStart,
      BooleanSupplier mayJudge,
      BooleanSupplier supervised,
      IntSupplier openMax) {}

  /**
   * @param decided runs when there may be tasks to give out
   */
  public PlanThinker(
      PlanLedger ledger,
      StepCheck check,
      StepWriter writer,
      GoalJudge judge,
      Settings settings,
      Time time,
      Runnable decided) {
    this.ledger = ledger;
    this.check = check;
    this.writer = writer;
    this.judge = judge;
    this.settings = settings;
    this.time = time;
    this.decided = decided;
    ledger.reviewWhen(judge::isThere);
  }

  /** Runs until interrupted. */
  public void run() throws InterruptedException {
    try {
      while (true) {
        step();
        time.sleep(PERIOD);
      }
    } finally {
      busy.values().forEach(Thread::interrupt);
    }
  }

  /** One look at what is to be thought about. */
  void step() {
    if (!settings.mayStart().getAsBoolean()) {
      return;
    }
    if (settings.mayJudge().getAsBoolean()) {
      ledger.revisions().reviewed(AT_ONCE).forEach(plan -> start(plan, () -> judge(plan)));
    }
    ledger.revisions().drafts(PlanLedger.DRAFTS_MAX).stream()
        .filter(plan -> !isWaiting(plan))
        .limit(AT_ONCE)
        .forEach(plan -> start(plan, () -> write(plan)));
  }

  private boolean isWaiting(Plan plan) {
    Wait wait = waits.get(plan.id());
    return wait != null && time.nanos() < wait.untilNanos();
  }

  private interface Thought {
    void run() throws StoreException, InterruptedException;
  }

  private void start(Plan plan, Thought thought) {
    if (busy.size() >= AT_ONCE || busy.containsKey(plan.id())) {
      return;
    }
    Thread thread =
        Thread.ofVirtual().name("plan " + plan.id()).unstarted(() -> run(plan, thought));
    busy.put(plan.id(), thread);
    thread.start();
  }

  private void run(Plan plan, Thought thought) {
    try {
      thought.run();
      decided.run();
    } catch (StoreException e) {
      LOG.warn("plan {}: thought about again later: {}", plan.id(), e.failure().message());
      sleepAfterRefusal();
    } catch (InterruptedException _) {
      LOG.debug("plan {}: thought about again after the next start", plan.id());
    } finally {
      busy.remove(plan.id());
    }
  }

  private void sleepAfterRefusal() {
    try {
      time.sleep(AFTER_REFUSAL);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(Plan plan) throws StoreException, InterruptedException {
    StepRevisions revisions = ledger.revisions();
    switch (writer.write(plan)) {
      case StepWriter.Written.Steps(List<Step> written) -> {
        List<Step> steps = Plans.withReferences(written, Set.of());
        List<String> problems = check.problems(steps);
        boolean _ =
            problems.isEmpty()
                ? revisions.accept(plan.id(), steps, settings.openMax().getAsInt())
                : revisions.fail(
                    plan.id(), "the model's steps are none: " + String.join("; ", problems));
        waits.remove(plan.id());
      }
      case StepWriter.Written.Impossible(String why) -> {
        boolean _ = revisions.fail(plan.id(), why);
        waits.remove(plan.id());
      }
      case StepWriter.Written.Unreachable(String why) -> later(plan, why);
    }
  }

  private void later(Plan plan, String why) throws StoreException {
    if (plan.madeAt().plus(PATIENCE).isBefore(time.now())) {
      boolean _ =
          ledger.revisions().fail(plan.id(), "no model was there to write its steps: " + why);
      waits.remove(plan.id());
      return;
    }
    Wait before = waits.getOrDefault(plan.id(), new Wait(0, 0));
    Duration wait = WAIT_MIN.multipliedBy(1L << Math.min(before.times(), SHIFT_MAX));
    Duration capped = wait.compareTo(WAIT_MAX) < 0 ? wait : WAIT_MAX;
    waits.put(plan.id(), new Wait(before.times() + 1, time.nanos() + capped.toNanos()));
    LOG.info("plan {}: its steps are written later: {}", plan.id(), why);
  }

  private void judge(Plan plan) throws StoreException, InterruptedException {
    List<Task> tasks = ledger.tasksOf(plan.id());
    StepRevisions revisions = ledger.revisions();
    boolean any = tasks.stream().anyMatch(task -> task.state() == TaskState.SUCCEEDED);
    switch (judge.judge(plan, tasks)) {
      case Judgement.Reached(String reason) -> {
        boolean _ = revisions.conclude(plan.id(), any, reason);
      }
      case Judgement.Lost(String reason) -> {
        boolean _ = revisions.conclude(plan.id(), false, reason);
      }
      case Judgement.Replan(String reason, List<Step> steps) -> replan(plan, tasks, reason, steps);
      case Judgement.Unreachable(String why) -> {
        LOG.info("plan {}: ends as its steps say: {}", plan.id(), why);
        boolean _ = revisions.concludeAsSteps(plan.id());
      }
    }
  }

  private void replan(Plan plan, List<Task> tasks, String reason, List<Step> written)
      throws StoreException {
    Set<String> done =
        tasks.stream()
            .filter(task -> task.state() == TaskState.SUCCEEDED)
            .map(task -> task.step().name())
            .collect(Collectors.toSet());
    Set<String> taken = tasks.stream().map(task -> task.step().name()).collect(Collectors.toSet());
    List<Step> steps = Plans.withReferences(written, done);
    List<String> problems = check.problems(steps.stream().map(step -> step.without(done)).toList());
    boolean fresh = steps.stream().noneMatch(step -> taken.contains(step.name()));
    if (problems.isEmpty() && fresh) {
      boolean _ =
          ledger
              .revisions()
              .replan(
                  plan.id(),
                  steps,
                  reason,
                  !plan.origin().threadId().isEmpty() && settings.supervised().getAsBoolean(),
                  settings.openMax().getAsInt());
      return;
    }
    LOG.warn(
        "plan {}: ends as its steps say, the model's other steps are none: {}",
        plan.id(),
        fresh ? String.join("; ", problems) : "a name is taken");
    boolean _ = ledger.revisions().concludeAsSteps(plan.id());
  }
}
