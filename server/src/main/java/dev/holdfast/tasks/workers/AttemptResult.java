package dev.holdfast.tasks.workers;

import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.TaskFailure;

/** How an attempt ended. */
public sealed interface AttemptResult {
  /**
   * @param output what the agent answered: a JSON value when it is one, else a text
   */
  record Done(String output) implements AttemptResult {}

  /** It has not ended: the agent wants to know something first, and is called again with that. */
  record Asks(InputQuestion question) implements AttemptResult {}

  record Failed(TaskFailure failure) implements AttemptResult {}
}
