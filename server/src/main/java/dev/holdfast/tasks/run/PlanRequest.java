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
 */
public record PlanRequest(
    String key, String goal, int priority, PlanOrigin origin, Duration waits, List<Step> steps) {
  public PlanRequest {
    steps = List.copyOf(steps);
  }
}
