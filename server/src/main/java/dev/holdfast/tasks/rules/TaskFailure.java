package dev.holdfast.tasks.rules;

import dev.holdfast.api.FailureCode;

/**
 * Why an attempt at a task failed.
 *
 * @param message one sentence for an operator; without secrets
 * @param settled whether nothing is in doubt: the agent itself has said that it failed, or it was
 *     never reached. Otherwise the work may have been done
 */
public record TaskFailure(FailureCode code, String message, boolean settled) {

  /** For something that may have been done, and is not done again for that. */
  public static String unknownOutcome(String reason) {
    return (reason.endsWith(".") ? reason.substring(0, reason.length() - 1) : reason)
        + "; its outcome is unknown, so it does not run again";
  }

  /** The same, with the reason why nothing follows on it. */
  public TaskFailure givenUpInDoubt() {
    return new TaskFailure(code, unknownOutcome(message), settled);
  }

  /** Whether another attempt of the same agent may succeed. */
  public boolean isRetryable() {
    return switch (code) {
      case BACKEND_FAILURE,
          TIMEOUT,
          STREAM_TIMEOUT,
          IO,
          INTERNAL,
          NETWORK,
          RATE_LIMITED,
          OVERLOADED,
          BULKHEAD_FULL,
          CIRCUIT_OPEN,
          ACTOR_CRASHED ->
          true;
      case UNKNOWN_MESSAGE_TYPE,
          INVALID_MESSAGE,
          INVALID_REQUEST,
          ACTION_NOT_SUPPORTED,
          AUTH,
          QUOTA,
          CONTEXT_OVERFLOW,
          CANCELLED,
          ACTOR_NOT_FOUND,
          MAX_RESTARTS_EXCEEDED,
          AGENT_UNAVAILABLE,
          BUDGET_EXHAUSTED ->
          false;
    };
  }

  /** Whether it speaks against the agent: what a caller asks wrongly does not. */
  public boolean countsAgainstAgent() {
    return switch (code) {
      case INVALID_REQUEST,
          ACTION_NOT_SUPPORTED,
          INVALID_MESSAGE,
          UNKNOWN_MESSAGE_TYPE,
          CANCELLED,
          CONTEXT_OVERFLOW,
          AGENT_UNAVAILABLE,
          ACTOR_NOT_FOUND,
          BUDGET_EXHAUSTED ->
          false;
      case BACKEND_FAILURE,
          TIMEOUT,
          STREAM_TIMEOUT,
          IO,
          INTERNAL,
          NETWORK,
          RATE_LIMITED,
          OVERLOADED,
          BULKHEAD_FULL,
          CIRCUIT_OPEN,
          ACTOR_CRASHED,
          AUTH,
          QUOTA,
          MAX_RESTARTS_EXCEEDED ->
          true;
    };
  }

  /** Whether another agent may do what this one cannot. */
  boolean isReassignable() {
    return isRetryable()
        || code == FailureCode.ACTION_NOT_SUPPORTED
        || code == FailureCode.AGENT_UNAVAILABLE
        || code == FailureCode.AUTH
        || code == FailureCode.QUOTA
        || code == FailureCode.MAX_RESTARTS_EXCEEDED
        || code == FailureCode.ACTOR_NOT_FOUND;
  }
}
