package dev.holdfast;

import dev.holdfast.resilience.Deadline;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of a stop, one after the other, under one deadline. A step that hangs is interrupted,
 * then left behind; one that throws is logged. Either way the next one runs.
 *
 * <p>What the steps behind it need at least is kept free from a step's window, so the whole takes
 * no longer than its budget; but at most half of the budget is kept free. With a budget below twice
 * the minimums the whole takes longer, by {@link #minimum} at most.
 */
final class StopSequence {
  private static final Logger LOG = LoggerFactory.getLogger(StopSequence.class);
  private static final Duration LOOK = Duration.ofMillis(20);

  private final Time time;
  private final List<StopStep> steps;

  /** How a step ended. */
  enum Outcome {
    DONE,
    /** Interrupted, or it says itself that something is left. */
    CUT_OFF,
    /** It goes on until the process ends. */
    LEFT_BEHIND,
    FAILED
  }

  record Result(String step, Outcome outcome, Duration took) {}

  StopSequence(Time time, List<StopStep> steps) {
    this.time = time;
    this.steps = List.copyOf(steps);
  }

  /** What the steps have together in any case. */
  Duration minimum() {
    return minimumFrom(0);
  }

  /**
   * Runs all steps. Blocks.
   *
   * @param hurry whether somebody has lost patience: from then on each step has its minimum only
   */
  List<Result> run(Duration budget, BooleanSupplier hurry) throws InterruptedException {
    Deadline deadline = Deadline.in(time, budget);
    double keptFree = Math.min(1, budget.toNanos() / (2.0 * Math.max(1, minimum().toNanos())));
    List<Result> results = new ArrayList<>();
    for (int number = 0; number < steps.size(); number++) {
      StopStep step = steps.get(number);
      long reserve = (long) (keptFree * minimumFrom(number + 1).toNanos());
      Duration window = window(step, deadline.left().minusNanos(reserve));
      results.add(run(step, hurry.getAsBoolean() ? step.min() : window, hurry));
    }
    return results;
  }

  private static Duration window(StopStep step, Duration free) {
    Duration part = Duration.ofNanos((long) (step.share() * free.toNanos()));
    return longer(step.min(), shorter(step.max(), part));
  }

  private Result run(StopStep step, Duration window, BooleanSupplier hurry)
      throws InterruptedException {
    long begunNanos = time.nanos();
    long endNanos = begunNanos + window.toNanos();
    Attempt attempt = new Attempt(step, new Deadline(time, endNanos - step.notice().toNanos()));
    Thread thread = Thread.ofPlatform().daemon().name("stop " + step.name()).start(attempt);
    boolean hurried = false;
    boolean told = false;
    boolean over = false;
    while (!over && !thread.join(LOOK)) {
      long nowNanos = time.nanos();
      if (!hurried && hurry.getAsBoolean()) {
        hurried = true;
        endNanos = Math.min(endNanos, nowNanos + step.min().toNanos());
      }
      over = told && nowNanos >= endNanos;
      if (!told && nowNanos >= endNanos - step.notice().toNanos()) {
        told = true;
        if (step.mayInterrupt()) {
          thread.interrupt();
        }
      }
    }
    Outcome outcome = over ? Outcome.LEFT_BEHIND : attempt.outcome(told && step.mayInterrupt());
    Result result = new Result(step.name(), outcome, Duration.ofNanos(time.nanos() - begunNanos));
    log(step, result);
    return result;
  }

  private static void log(StopStep step, Result result) {
    long millis = result.took().toMillis();
    switch (result.outcome()) {
      case DONE -> LOG.info("stop: {}: done in {} ms", step.name(), millis);
      case CUT_OFF ->
          LOG.warn("stop: {}: cut off after {} ms; {}", step.name(), millis, step.otherwise());
      case LEFT_BEHIND ->
          LOG.warn("stop: {}: left behind after {} ms; {}", step.name(), millis, step.otherwise());
      case FAILED ->
          LOG.warn("stop: {}: failed after {} ms; {}", step.name(), millis, step.otherwise());
    }
  }

  private Duration minimumFrom(int number) {
    return steps.stream().skip(number).map(StopStep::min).reduce(Duration.ZERO, Duration::plus);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /** A step that runs. */
  private static final class Attempt implements Runnable {
    private final StopStep step;
    private final Deadline window;
    private volatile Outcome outcome = Outcome.CUT_OFF;

    Attempt(StopStep step, Deadline window) {
      this.step = step;
      this.window = window;
    }

    @Override
    public void run() {
      try {
        outcome = step.work().run(window) ? Outcome.DONE : Outcome.CUT_OFF;
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt(); // as it began: cut off
      } catch (IOException | RuntimeException | Error e) {
        Fatal.check(e);
        outcome = Outcome.FAILED;
        LOG.warn("stop: {}", step.name(), e);
      }
    }

    /** One that was interrupted and says that it is done has ended early. */
    Outcome outcome(boolean interrupted) {
      return interrupted && outcome == Outcome.DONE ? Outcome.CUT_OFF : outcome;
    }
  }
}
