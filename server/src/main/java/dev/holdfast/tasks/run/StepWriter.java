package dev.holdfast.tasks.run;

import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.rules.Step;
import java.util.List;

/** Writes the steps that lead to a goal. Thread-safe. */
public interface StepWriter {
  /** Whether there is one at all; without it plans come with their steps. */
  boolean isThere();

  /** Blocks for as long as a model may take. */
  Written write(Plan plan) throws InterruptedException;

  /** What has come of it. */
  sealed interface Written {
    /** Steps that may still be wrong. */
    record Steps(List<Step> steps) implements Written {
      public Steps {
        steps = List.copyOf(steps);
      }
    }

    /** Later it may work. */
    record Unreachable(String why) implements Written {}

    /**
     * There are none.
     *
     * @param why a sentence for a person
     */
    record Impossible(String why) implements Written {}
  }
}
