package dev.holdfast.tasks.ledger;

import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.TaskFailure;
import java.time.Duration;

/** What an attempt has come to, and what follows. */
public sealed interface AttemptEnd {

  record Succeeded(String output) implements AttemptEnd {}

  /**
   * The same agent tries again.
   *
   * @param backoff until then, from the end of this attempt on
   * @param doubtful whether it has to look first what has become of this attempt
   */
  record Again(TaskFailure failure, Duration backoff, boolean doubtful) implements AttemptEnd {}

  /** Another agent tries. */
  record Elsewhere(TaskFailure failure, String agent) implements AttemptEnd {}

  /** The same agent tries again with models of a higher level. */
  record Higher(TaskFailure failure, String level) implements AttemptEnd {}

  /** The agent wants to know something of a person first. */
  record Asked(InputQuestion question) implements AttemptEnd {}

  record GivenUp(TaskFailure failure) implements AttemptEnd {}
}
