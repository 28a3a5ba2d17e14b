package dev.holdfast.tasks.rules;

import java.util.Set;

/**
 * How far a step of a plan is.
 *
 * @param needs the names of the steps that have to succeed first
 */
public record StepOutcome(String name, TaskState state, Set<String> needs) {
  public StepOutcome {
    needs = Set.copyOf(needs);
  }
}
