package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.messages.EventState;
import java.util.Arrays;
import java.util.Optional;

/** What the end of an event that has no answer means to the program that asked. */
public final class ChatFailures {
  private ChatFailures() {}

  /**
   * Empty when the event was answered.
   *
   * @param code that its story ends with; empty when it has none
   */
  static Optional<FailureCode> codeOf(EventState state, String code) {
    Optional<FailureCode> told =
        Arrays.stream(FailureCode.values()).filter(known -> known.name().equals(code)).findFirst();
    return told.isPresent() ? told : usual(state);
  }

  /** Of ends that no turn wrote. */
  private static Optional<FailureCode> usual(EventState state) {
    return switch (state) {
      case CANCELLED -> Optional.of(FailureCode.CANCELLED);
      case DEAD_LETTERED -> Optional.of(FailureCode.BACKEND_FAILURE);
      case PENDING, RUNNING, PARKED, ANSWERED, SILENT, HELD -> Optional.empty();
    };
  }

  /** The status of the answer that carries the code. A refused key of ours is no 401 of theirs. */
  public static int statusOf(FailureCode code) {
    return switch (code) {
      case INVALID_REQUEST, INVALID_MESSAGE, UNKNOWN_MESSAGE_TYPE, ACTION_NOT_SUPPORTED -> 422;
      case CONTEXT_OVERFLOW -> 413;
      case CANCELLED -> 409;
      case QUOTA, BUDGET_EXHAUSTED -> 402;
      case TIMEOUT, STREAM_TIMEOUT -> 504;
      case BACKEND_FAILURE, NETWORK, AUTH -> 502;
      case RATE_LIMITED, OVERLOADED, CIRCUIT_OPEN, BULKHEAD_FULL, AGENT_UNAVAILABLE, IO -> 503;
      case ACTOR_NOT_FOUND, ACTOR_CRASHED, MAX_RESTARTS_EXCEEDED, INTERNAL -> 500;
    };
  }
}
