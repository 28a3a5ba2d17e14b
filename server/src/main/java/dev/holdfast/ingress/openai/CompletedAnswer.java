package dev.holdfast.ingress.openai;

import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolCall;
import java.util.List;

/** A whole answer. {@code calls}: of tools of the client. */
record CompletedAnswer(String text, List<ToolCall> calls, StopReason stop, TokenUsage usage) {
  CompletedAnswer {
    calls = List.copyOf(calls);
  }

  /** Of the agent, whose tools are its own. */
  CompletedAnswer(String text, TokenUsage usage) {
    this(text, List.of(), StopReason.END, usage);
  }

  /** Whether the model said all that it wanted to. */
  boolean isWhole() {
    return stop == StopReason.END || stop == StopReason.TOOL_CALLS;
  }

  /** Tokens that were read, those of a cache among them. */
  long inputTokens() {
    return usage.input() + usage.cacheRead() + usage.cacheWrite();
  }
}
