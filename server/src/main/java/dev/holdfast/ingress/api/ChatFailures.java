package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What the end of an event that has no answer means to the program that asked. */
final class ChatFailures {
  /** A failure in one line: its code, then its message. */
  private static final Pattern SUMMARY = Pattern.compile("\\b([A-Z][A-Z_]+): ");

  private ChatFailures() {}

  /**
   * Empty when the event was answered.
   *
   * @param state of the event, in lower case
   * @param reason that its story gives; empty when it gives none
   */
  static Optional<FailureCode> codeOf(String state, String reason) {
    if (state.equals("cancelled")) {
      return Optional.of(FailureCode.CANCELLED);
    }
    Optional<FailureCode> named = named(reason);
    return named.isEmpty() && state.equals("dead_lettered") ? Optional.of(told(reason)) : named;
  }

  private static Optional<FailureCode> named(String reason) {
    for (String word : SUMMARY.matcher(reason).results().map(ChatFailures::word).toList()) {
      for (FailureCode code : FailureCode.values()) {
        if (code.name().equals(word)) {
          return Optional.of(code);
        }
      }
    }
    return Optional.empty();
  }

  private static String word(MatchResult found) {
    return found.group(1);
  }

  /** Of the ends that no call's failure led to. */
  private static FailureCode told(String reason) {
    if (reason.startsWith("turn.timeout_secs") || reason.startsWith("no sign of progress")) {
      return FailureCode.TIMEOUT;
    }
    if (reason.startsWith("parked")) {
      return FailureCode.AGENT_UNAVAILABLE;
    }
    if (reason.startsWith("a crash") || reason.startsWith("the server went down")) {
      return FailureCode.ACTOR_CRASHED;
    }
    return FailureCode.BACKEND_FAILURE;
  }

  /** The status of the answer that carries the code. A refused key of ours is no 401 of theirs. */
  static int statusOf(FailureCode code) {
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
