package dev.holdfast.tasks.ledger;

import dev.holdfast.tasks.rules.TaskFailure;
import java.time.Instant;

/** What an attempt has come to, and what follows. */
public sealed interface AttemptEnd {

  record Succeeded(String output) implements AttemptEnd {}

  /** The same agent tries again. */
  record Again(TaskFailure failure, Instant dueAt) implements AttemptEnd {}

  /** Another agent tries. */
  record Elsewhere(TaskFailure failure, String agent) implements AttemptEnd {}

  record GivenUp(TaskFailure failure) implements AttemptEnd {}
}
