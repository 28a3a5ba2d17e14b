package dev.holdfast.api;

/**
 * The closed list of reasons; the kind next to each is what it means unless the failure says
 * otherwise.
 */
public enum FailureCode {
  UNKNOWN_MESSAGE_TYPE(FailureKind.INVALID),
  INVALID_MESSAGE(FailureKind.INVALID),
  INVALID_REQUEST(FailureKind.INVALID),
  ACTION_NOT_SUPPORTED(FailureKind.INVALID),
  BACKEND_FAILURE(FailureKind.TRANSIENT),
  TIMEOUT(FailureKind.TRANSIENT),
  STREAM_TIMEOUT(FailureKind.TRANSIENT),
  NETWORK(FailureKind.TRANSIENT),
  RATE_LIMITED(FailureKind.TRANSIENT),
  OVERLOADED(FailureKind.TRANSIENT),
  AUTH(FailureKind.PERMANENT),
  QUOTA(FailureKind.PERMANENT),
  CONTEXT_OVERFLOW(FailureKind.INVALID),
  IO(FailureKind.TRANSIENT),
  CIRCUIT_OPEN(FailureKind.TRANSIENT),
  BULKHEAD_FULL(FailureKind.TRANSIENT),
  CANCELLED(FailureKind.INVALID),
  ACTOR_NOT_FOUND(FailureKind.INVALID),
  ACTOR_CRASHED(FailureKind.FATAL),
  MAX_RESTARTS_EXCEEDED(FailureKind.FATAL),
  AGENT_UNAVAILABLE(FailureKind.TRANSIENT),
  BUDGET_EXHAUSTED(FailureKind.PERMANENT),
  INTERNAL(FailureKind.FATAL);

  private final FailureKind kind;

  FailureCode(FailureKind kind) {
    this.kind = kind;
  }

  /** The kind that a failure of this code has unless it is made with another one. */
  public FailureKind kind() {
    return kind;
  }
}
