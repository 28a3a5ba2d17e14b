package dev.holdfast.tasks.run;

import dev.holdfast.tasks.rules.Step;
import java.util.List;

/** Says what is wrong with steps, given the agents that there are now. Thread-safe. */
@FunctionalInterface
public interface StepCheck {
  /** In sentences; empty when the steps can be a plan. */
  List<String> problems(List<Step> steps);
}
