package dev.holdfast.tasks.ledger;

import dev.holdfast.tasks.rules.Step;
import java.time.Instant;
import java.util.List;

/**
 * A plan to make.
 *
 * @param key who asks twice with the same key gets the same plan; unique
 * @param goal what it is for, in a person's words
 * @param priority from 0 to 100; higher ones first
 * @param tellFrom its end is told to its chat thread at this time at the earliest
 * @param supervised whether a person is asked before each unsafe action
 * @param steps checked by {@link dev.holdfast.tasks.rules.StepGraph}; none when they are still to
 *     be written: then the plan is a draft
 */
public record NewPlan(
    String key,
    String goal,
    int priority,
    PlanOrigin origin,
    Instant tellFrom,
    boolean supervised,
    List<Step> steps) {
  public static final int PRIORITY = 50;

  public NewPlan {
    steps = List.copyOf(steps);
    if (priority < 0 || priority > 100) {
      throw new IllegalArgumentException("priority is from 0 to 100, not " + priority);
    }
  }
}
