package dev.holdfast.tasks.run;

import dev.holdfast.tasks.ledger.PlanOrigin;
import dev.holdfast.tasks.rules.Step;
import java.time.Duration;
import java.util.List;

/**
 * A plan that somebody asks for.
 *
 * @param key who asks twice with the same key gets the same plan
 * @param priority from 0 to 100; higher ones first
 * @param waits how long the caller waits for its end: the chat thread is not told before
 * @param supervised whether a person is asked before unsafe actions that a model has thought out
 * @param steps none when a model is to write them
 */
public record PlanRequest(
    String key,
    String goal,
    int priority,
    PlanOrigin origin,
    Duration waits,
    boolean supervised,
    List<Step> steps) {
  public PlanRequest {
    steps = List.copyOf(steps);
  }
}
