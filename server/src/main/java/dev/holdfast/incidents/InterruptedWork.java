package dev.holdfast.incidents;

import java.util.List;

/** Work besides events that the last run was in the middle of. Thread-safe. */
@FunctionalInterface
public interface InterruptedWork {

  /** What is known of it now. */
  Findings look();

  /**
   * All of it, as people are told.
   *
   * @param facts what was interrupted and what became of it, a sentence each
   * @param lookAt what a person should look at, a sentence each
   * @param commands what to type for that
   * @param settled whether nothing more will change
   */
  record Findings(List<String> facts, List<String> lookAt, List<String> commands, boolean settled) {
    public Findings {
      facts = List.copyOf(facts);
      lookAt = List.copyOf(lookAt);
      commands = List.copyOf(commands);
    }
  }
}
