package dev.holdfast.tasks.run;

import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.rules.Step;
import java.util.List;

/** Judges what failed steps mean for the goal of a plan. Thread-safe. */
public interface GoalJudge {
  /** Whether there is one at all; without it the steps alone decide. */
  boolean isThere();

  /**
   * Blocks for as long as a model may take.
   *
   * @param tasks all have ended
   */
  Judgement judge(Plan plan, List<Task> tasks) throws InterruptedException;

  /** What is to be done. Reasons are sentences for a person. */
  sealed interface Judgement {
    /** The goal is reached without what failed. */
    record Reached(String reason) implements Judgement {}

    /** Other steps may reach it: they build on those that succeeded, and may still be wrong. */
    record Replan(String reason, List<Step> steps) implements Judgement {
      public Replan {
        steps = List.copyOf(steps);
      }
    }

    record Lost(String reason) implements Judgement {}

    /** Nobody can say now. */
    record Unreachable(String why) implements Judgement {}
  }
}
