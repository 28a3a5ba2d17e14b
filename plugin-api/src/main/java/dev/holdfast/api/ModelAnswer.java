package dev.holdfast.api;

/** A finished answer; a cut stream is a failure, never an answer. */
public record ModelAnswer(Message.Assistant message, StopReason stop, TokenUsage usage) {
  /** Why the model stopped. */
  public enum StopReason {
    END,
    TOOL_CALLS,
    LENGTH,
    REFUSED
  }
}
