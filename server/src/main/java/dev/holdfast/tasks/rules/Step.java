package dev.holdfast.tasks.rules;

import java.util.HashSet;
import java.util.Set;

/**
 * One step of a plan.
 *
 * @param name how other steps of the plan refer to it
 * @param payload a JSON object
 * @param needs the names of the steps that have to succeed first
 */
public record Step(String name, String agent, String action, String payload, Set<String> needs) {
  public Step {
    needs = Set.copyOf(needs);
  }

  /** The same, but it does not need these. */
  public Step without(Set<String> met) {
    Set<String> left = new HashSet<>(needs);
    left.removeAll(met);
    return new Step(name, agent, action, payload, left);
  }
}
