package dev.holdfast.api;

import java.util.Objects;

/** A finished answer; a cut stream is a failure, never an answer. */
public record ModelAnswer(Message.Assistant message, StopReason stop, TokenUsage usage) {
  public ModelAnswer {
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(stop, "stop");
    Objects.requireNonNull(usage, "usage");
  }

  /** Why the model stopped. */
  public enum StopReason {
    END,
    TOOL_CALLS,
    LENGTH,
    REFUSED
  }
}
