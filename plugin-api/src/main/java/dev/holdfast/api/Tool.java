package dev.holdfast.api;

import java.time.Duration;

/** Something a model may call. One instance serves every call; thread-safe. */
public interface Tool {
  ToolSpec spec();

  /** UNSAFE unless the tool knows better. */
  default ReplayClass replay() {
    return ReplayClass.UNSAFE;
  }

  /** As its replay class suggests, unless the tool knows better. */
  default Risk risk() {
    return switch (replay()) {
      case READ -> Risk.LOW;
      case IDEMPOTENT, KEYED -> Risk.MEDIUM;
      case UNSAFE -> Risk.HIGH;
    };
  }

  /** After this long the calling thread is interrupted, and the call ends as TIMEOUT. */
  default Duration timeout() {
    return Duration.ofMinutes(2);
  }

  /**
   * What the call is about to do, in a few words for people, without secrets, for example {@code
   * shell: git status}.
   */
  default String label(String argumentsJson) {
    return spec().name();
  }

  /**
   * Runs one call. Blocks the calling thread and ends when that is interrupted.
   *
   * @param argumentsJson a JSON object that fits the schema
   */
  ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException;
}
