package dev.holdfast.memory;

import dev.holdfast.answers.AnswerForm;
import dev.holdfast.answers.StructuredAnswers;
import dev.holdfast.answers.StructuredAnswers.Filled;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.models.Asker;
import dev.holdfast.models.ModelCall;
import dev.holdfast.models.ModelQuestion;
import dev.holdfast.models.Models;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.models.UnheardAnswer;
import dev.holdfast.resilience.FlowKey;
import dev.holdfast.store.ledgers.Usage;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Asks models while nobody talks: a turn that begins meanwhile cancels the question, which is asked
 * again later. Used by one thread at a time.
 */
final class SweepModel {
  static final String LEVEL = "operational";
  private static final String FLOW = "memory-sweep";
  private static final int TRIES = 5;
  private static final Duration QUIET_WAIT_MAX = Duration.ofMinutes(10);
  private static final Duration LOOK = Duration.ofMillis(50);

  private final Models models;
  private final Usage usage;
  private final SweepBudget budget;
  private final ServerCalm calm;
  private final BooleanSupplier stopping;
  private final Time time;

  /**
   * @param stopping whether the server stops
   */
  SweepModel(
      Models models,
      Usage usage,
      SweepBudget budget,
      ServerCalm calm,
      BooleanSupplier stopping,
      Time time) {
    this.models = models;
    this.usage = usage;
    this.budget = budget;
    this.calm = calm;
    this.stopping = stopping;
    this.time = time;
  }

  /** Whether there is anybody to be asked. */
  boolean isThere() {
    return models.isNamed(LEVEL);
  }

  /**
   * Blocks until the server was quiet for as long as the model took. Empty when the thread may cost
   * nothing more today.
   *
   * @throws SweepEndedException when the budget is spent, no model can be reached, the server does
   *     not become quiet, or stops
   */
  Optional<Filled> ask(String threadId, String system, String text, AnswerForm form)
      throws SweepEndedException, InterruptedException {
    for (int i = 0; i < TRIES; i++) {
      awaitQuiet();
      if (budget.isSpent(threadId)) {
        return Optional.empty();
      }
      RemoteUse use = budget.remote();
      if (use == RemoteUse.NONE && !models.hasLocal()) {
        throw new SweepEndedException(SweepRun.Outcome.BUDGET, "the budget for models is spent");
      }
      FutureTask<Filled> asked =
          new FutureTask<>(
              () ->
                  StructuredAnswers.ask(
                      system, text, form, question -> askOnce(threadId, question, use)));
      Thread worker = Thread.ofVirtual().name("memory-sweep-call").start(asked);
      try {
        if (isDone(asked)) {
          return answer(threadId, asked);
        }
      } finally {
        boolean _ = asked.cancel(true); // what it costs to be asked again is small
        worker.join();
      }
    }
    throw new SweepEndedException(
        SweepRun.Outcome.BUSY, "messages came in the middle of it, " + TRIES + " times");
  }

  /** False when nobody may be asked any more: the question is to be taken back. */
  private boolean isDone(FutureTask<Filled> asked) throws InterruptedException {
    while (true) {
      try {
        Filled _ = asked.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
        return true;
      } catch (ExecutionException _) {
        return true;
      } catch (TimeoutException _) {
        if (stopping.getAsBoolean() || !calm.mayWork() || !calm.isQuiet()) {
          return false;
        }
      }
    }
  }

  private Optional<Filled> answer(String threadId, FutureTask<Filled> asked)
      throws SweepEndedException, InterruptedException {
    try {
      Filled filled = asked.get();
      if (filled instanceof Filled.Unreachable(String why)) {
        if (budget.isSpent(threadId)) {
          return Optional.empty();
        }
        throw new SweepEndedException(SweepRun.Outcome.NO_MODEL, why);
      }
      return Optional.of(filled);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a question of a sweep failed", e.getCause());
    }
  }

  /** Blocks until nobody waits for the server. */
  void awaitQuiet() throws SweepEndedException, InterruptedException {
    long end = time.nanos() + QUIET_WAIT_MAX.toNanos();
    while (true) {
      if (stopping.getAsBoolean()) {
        throw new SweepEndedException(SweepRun.Outcome.CANCELLED, "the server stops");
      }
      if (!calm.mayWork()) {
        throw new SweepEndedException(SweepRun.Outcome.MODE, "the server's mode lets no sweep run");
      }
      if (calm.isQuiet()) {
        return;
      }
      if (time.nanos() - end > 0) {
        throw new SweepEndedException(SweepRun.Outcome.BUSY, "messages did not stop coming");
      }
      time.sleep(LOOK);
    }
  }

  private ModelAnswer askOnce(String threadId, ModelQuestion question, RemoteUse use)
      throws CallFailedException, InterruptedException {
    if (budget.isSpent(threadId)) {
      throw new CallFailedException(
          Failure.of(FailureCode.BUDGET_EXHAUSTED, "its budget is used up")); // by the first try
    }
    Asker asker = new Asker(threadId, new FlowKey(List.of(FLOW)), true, use);
    return models.ask(LEVEL, question, asker, new Counting(threadId)).answer();
  }

  /** What is paid for counts as its conversation's. */
  private final class Counting extends UnheardAnswer {
    private final String threadId;

    Counting(String threadId) {
      this.threadId = threadId;
    }

    @Override
    public void onCall(ModelCall call) {
      usage.add(call.row("", threadId), "");
    }
  }
}
