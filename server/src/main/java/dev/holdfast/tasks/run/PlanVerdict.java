package dev.holdfast.tasks.run;

import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.rules.TaskFailure;
import java.time.Instant;
import java.util.List;

/** What has become of a request for a plan. */
public sealed interface PlanVerdict {
  /** It is on disk and runs, or has run before. */
  record Made(Plan plan) implements PlanVerdict {}

  /**
   * It is on disk and has failed: an agent that it needs is in its cooldown, and no other one does
   * the same.
   */
  record Unavailable(Plan plan, TaskFailure failure, Instant until) implements PlanVerdict {}

  /** Nothing was written. */
  record Invalid(List<String> problems) implements PlanVerdict {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}
