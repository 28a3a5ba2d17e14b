package dev.holdfast.tasks.workers;

import java.util.List;
import java.util.Optional;

/** A doer that tasks are given to. Thread-safe. */
public interface WorkerAgent {
  /** Its name; unique. */
  String id();

  AgentSettings settings();

  /** What it does; empty while it is not there. */
  List<AgentAction> actions();

  default Optional<AgentAction> action(String name) {
    return actions().stream().filter(action -> action.name().equals(name)).findFirst();
  }

  /** Whether it does by the same action what another one does. */
  default boolean isLike(WorkerAgent other) {
    return true;
  }

  /** The level of the models that do a task of {@code level}; empty when none do. */
  default String levelFor(String level) {
    return "";
  }

  /** The level of models above {@code level}, and above its own when that is empty. */
  default Optional<String> higherLevel(String level) {
    return Optional.empty();
  }

  /** Has what it keeps running start anew, between two attempts. Returns at once. */
  default void renew() {
    // Each attempt begins anyway.
  }

  /**
   * Makes one attempt; no retry, no breaker. Blocks until it has ended or {@link Assignment#limit}
   * has passed; an interrupt ends the attempt and what runs for it.
   */
  AttemptResult attempt(Assignment assignment) throws InterruptedException;
}
